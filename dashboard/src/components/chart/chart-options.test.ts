// Labels of the vertical axis can be told apart, whatever is measured.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisLabels, axisSteps } from './chart-options.ts';

describe('labels', () => {
  it.each([
    [
      [-92, -91.5, -91],
      ['−92', '−91.5', '−91'],
    ],
    [
      [0, 0.25, 0.5],
      ['0', '0.25', '0.5'],
    ],
    [
      [0, 5e-10, 1e-9],
      ['0', '5\u2009×\u200910⁻¹⁰', '1\u2009×\u200910⁻⁹'],
    ],
    [
      [0, 200_000, 400_000],
      ['0', '200\u2009000', '400\u2009000'],
    ],
    [
      [0, 5e299],
      ['0', '5\u2009×\u200910²⁹⁹'],
    ],
    [[42], ['42']],
  ])('%j', (marks, labels) => {
    expect(axisLabels(marks)).toEqual(labels);
  });

  it('no two are the same, however close they lie', () => {
    const labels = axisLabels([9e15, 9e15 + 100, 9e15 + 200]);
    expect(new Set(labels).size).toBe(3);
  });
});

it('there are steps for every span', () => {
  for (const span of [1e-300, 3e-9, 0.7, 100, 8e15, 1.5e308]) {
    const steps = axisSteps(0, span);
    expect(steps.some((step) => span / step >= 2 && span / step <= 10)).toBe(true);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  }
  expect(axisSteps(5, 5)).toEqual([1]);
});

it('what is counted has whole steps', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.double({ min: 0.001, max: 1e6 }), (low, span) => {
      const steps = axisSteps(low, low + span, true);
      expect(steps.length).toBeGreaterThan(0);
      for (const step of steps) expect(Number.isInteger(step) && step >= 1).toBe(true);
    }),
  );
  expect(axisSteps(0, 1, true)[0]).toBe(1);
  expect(axisSteps(0, 40, true)).toEqual([1, 2, 5, 10, 20, 25, 50]);
});
