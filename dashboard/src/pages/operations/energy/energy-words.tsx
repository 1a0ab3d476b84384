// Energy, money and CO₂ in words, and as cells of a table.
import { PlainTable } from '../../../components/page.tsx';
import { formatNumber, formatValue } from '../../../format.ts';
import { energyText } from '../../../text/pages.ts';

export interface Amount {
  kwh: number;
  cost: number;
  co2_kg: number;
}

export function formatEnergy(kwh: number): string {
  return formatValue(kwh * 1000, 'Wh');
}

/** Little money with more digits. */
export function formatMoney(amount: number, currency: string): string {
  const isLittle = amount !== 0 && Math.abs(amount) < 0.1;
  return `${isLittle ? formatNumber(amount, 4) : amount.toFixed(2).replace('-', '−')}\u2009${currency}`;
}

export function formatCo2(kg: number): string {
  return Math.abs(kg) < 1 ? formatValue(kg * 1000, 'g') : formatValue(kg, 'kg');
}

export function formatShare(share: number): string {
  return formatValue(share * 100, '%');
}

export const amountTitles = [energyText.cost, energyText.co2];

export function amountCells({ kwh, cost, co2_kg }: Amount, currency: string): string[] {
  return [formatEnergy(kwh), formatMoney(cost, currency), formatCo2(co2_kg)];
}

interface EnergyTableProps {
  caption: string;
  titles: readonly string[];
  /** What it is about, then numbers. */
  rows: readonly (readonly string[])[];
}

export function EnergyTable({ caption, titles: [first = '', ...others], rows }: EnergyTableProps) {
  return (
    <div class="energy-scroll">
      <PlainTable
        look="energy-table"
        titles={[first, ...others.map((title) => [title, 'number'] as const)]}
        {...{ caption, rows }}
      />
    </div>
  );
}
