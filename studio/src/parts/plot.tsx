/** @file Curves: uPlot in the colours of the page, as wide as its place. The same numbers stand in a table for who cannot see them. */

import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Curve {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

interface PlotProps {
  readonly label: string;
  readonly x: readonly number[];
  readonly xName: string;
  readonly curves: readonly Curve[];
  readonly height?: number;
}

export function Plot({ label, x, xName, curves, height = 220 }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    const style = getComputedStyle(box);
    const ink = style.getPropertyValue('--muted').trim();
    const grid = { stroke: style.getPropertyValue('--line').trim(), width: 1 };
    const axis = { stroke: ink, grid, ticks: grid };
    const plot = new UPlot(
      {
        width: box.clientWidth,
        height,
        cursor: { points: { size: 6 } },
        // The last number of the axis has its place too, and one curve needs no names.
        padding: [8, 40, 0, 0],
        legend: { show: curves.length > 1 },
        scales: { x: { time: false } },
        // Room for the longest number beside the curve: 25,000 is cut off where 0.25 is not.
        axes: [axis, { ...axis, size: (_, labels) => 18 + 7 * Math.max(5, ...(labels ?? []).map((label) => label.length)) }],
        series: [
          { label: xName },
          ...curves.map(({ name }, i) => ({ label: name, stroke: style.getPropertyValue(`--curve-${(i % 6) + 1}`).trim(), width: 2 })),
        ],
      },
      [x as number[], ...curves.map(({ values }) => values as (number | null)[])],
      box,
    );
    const watch = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }));
    watch.observe(box);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [x, xName, curves, height]);
  return (
    <figure className="plot">
      <figcaption>{label}</figcaption>
      <div ref={place} aria-hidden="true" style={{ minHeight: height }} />
      <Numbers x={x} xName={xName} curves={curves} />
    </figure>
  );
}

function Numbers({ x, xName, curves }: Pick<PlotProps, 'x' | 'xName' | 'curves'>) {
  return (
    <details>
      <summary>As numbers</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{xName}</th>
            {curves.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {thinned(x.length).map((i) => (
            <tr key={i}>
              <th scope="row">{x[i]}</th>
              {curves.map(({ name, values }) => (
                <td key={name}>{values[i] ?? '–'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** At most twenty places, first and last among them. */
function thinned(length: number): readonly number[] {
  const most = Math.min(20, length);
  return Array.from({ length: most }, (_, i) => Math.round((i * (length - 1)) / Math.max(1, most - 1)));
}
