/** @file A curve in one line of text: ▇▅▃▂▁. */

const bars = '▁▂▃▄▅▆▇█';

/** The latest values that fit, each as a bar between 0 and the largest. */
export function sparkline(values: readonly number[], columns: number): string {
  const visible = values.slice(-columns);
  const most = Math.max(...visible.map(Math.abs), Number.MIN_VALUE);
  return visible.map((value) => bars[Math.min(bars.length - 1, Math.max(0, Math.round((value / most) * (bars.length - 1))))]).join('');
}
