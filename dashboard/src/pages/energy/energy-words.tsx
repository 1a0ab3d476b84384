// Energy, money and CO₂ in words, and as cells of a table.
import { formatNumber, formatValue } from '../../format.ts';
import { energyText } from '../../text/energy.ts';

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

/** A value and its unit apart, for a figure. */
export function split(words: string | undefined): { value: string | undefined; unit?: string } {
  const [value, unit] = words?.split('\u2009') ?? [];
  return unit === undefined ? { value } : { value, unit };
}

export function formatShare(share: number): string {
  return formatValue(share * 100, '%');
}

export function amountHeads(first: string) {
  return [first, energyText.cost, energyText.co2].map((head) => (
    <th key={head} class="number">
      {head}
    </th>
  ));
}

export function AmountCells({ amount: { kwh, cost, co2_kg }, currency }: { amount: Amount; currency: string }) {
  return (
    <>
      <td class="number">{formatEnergy(kwh)}</td>
      <td class="number">{formatMoney(cost, currency)}</td>
      <td class="number">{formatCo2(co2_kg)}</td>
    </>
  );
}
