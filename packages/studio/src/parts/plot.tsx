/** @file Curves: uPlot in the colours of the page, as wide as its place. The same numbers stand in a table for who cannot see them. */

import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { type Look, lookAt } from '../colours.ts';
import { useColours } from '../theme.ts';
import type { Bounds, Curve, Level } from './curve.ts';
import 'uplot/dist/uPlot.min.css';

export type { Level } from './curve.ts';

interface PlotProps {
  readonly label: string;
  readonly x: readonly number[];
  readonly xName: string;
  readonly curves: readonly Curve[];
  readonly height?: number;
  readonly levels?: readonly Level[];
  readonly logX?: boolean;
  readonly logY?: boolean;
  /** The ends of the y-axis; left out, those of the values. */
  readonly bounds?: Bounds | undefined;
}

export function Plot({ label, x, xName, curves, height = 220, levels = none, logX = false, logY = false, bounds }: PlotProps) {
  const colours = useColours();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const zoomed = useRef(false);
  const latest = useRef({ x, curves, levels });
  latest.current = { x, curves, levels };
  // The same curves with more numbers are drawn into the plot that is there: a zoom stays.
  const form = JSON.stringify([
    curves.map(({ name, look, band }) => [name, look, band !== undefined]),
    levels,
    xName,
    height,
    logX,
    logY,
    bounds,
    colours,
  ]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form says all that a new plot is made for.
  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    const uplot = new UPlot(optionsFor(box, { ...latest.current, xName, height, logX, logY, bounds }), dataOf(latest.current, logY), box);
    zoomed.current = false;
    plot.current = uplot;
    uplot.over.addEventListener('mouseup', () => {
      if (uplot.select.width > 0) zoomed.current = true;
    });
    uplot.over.addEventListener('dblclick', () => {
      zoomed.current = false;
    });
    const watch = new ResizeObserver(() => uplot.setSize({ width: box.clientWidth, height }));
    watch.observe(box);
    return () => {
      watch.disconnect();
      uplot.destroy();
      plot.current = null;
    };
  }, [form]);
  useEffect(() => {
    plot.current?.setData(dataOf({ x, curves, levels }, logY), !zoomed.current);
    if (zoomed.current) plot.current?.redraw();
  }, [x, curves, levels, logY]);
  return (
    <figure className={curves.length + levels.length === 1 ? 'plot single' : 'plot'}>
      <figcaption>
        {label} <EndValues curves={curves} />
      </figcaption>
      <div ref={place} aria-hidden="true" style={{ minHeight: height }} />
      <Numbers x={x} xName={xName} curves={curves} levels={levels} />
    </figure>
  );
}

/** More curves than this have their last values in the table below. */
const mostEnds = 6;

/** Where each curve ends, in numbers. */
function EndValues({ curves }: Pick<PlotProps, 'curves'>) {
  if (curves.length > mostEnds) return null;
  const ends = curves.flatMap(({ name, values }) => {
    const last = values.findLast((value) => value !== null && value !== undefined);
    return last == null ? [] : [`${curves.length === 1 ? '' : `${name} `}${inWords(null, last)}`];
  });
  return ends.length === 0 ? null : <span className="muted small">{ends.join(' · ')}</span>;
}

const none: readonly Level[] = [];

type Drawn = Pick<PlotProps, 'x' | 'curves'> & { readonly levels: readonly Level[] };

/** A logarithm has no place for what is not above 0. */
function dataOf({ x, curves, levels }: Drawn, logY: boolean): UPlot.AlignedData {
  const fit = (value: number | null | undefined) => (value === undefined || value === null || (logY && value <= 0) ? null : value);
  return [
    x as number[],
    ...curves.map(({ values }) => values.map(fit)),
    ...levels.map(({ value }) => x.map(() => fit(value))),
    ...curves.flatMap(({ band }) => (band === undefined ? [] : [band.map((at) => fit(at?.[1])), band.map((at) => fit(at?.[0]))])),
  ];
}

function optionsFor(
  box: HTMLElement,
  {
    curves,
    levels,
    xName,
    height,
    logX,
    logY,
    bounds,
  }: Drawn & Required<Pick<PlotProps, 'xName' | 'height' | 'logX' | 'logY'>> & Pick<PlotProps, 'bounds'>,
): UPlot.Options {
  const style = getComputedStyle(box);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const ink = colour('--muted');
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: ink, grid, ticks: grid };
  const lookIn = ({ look }: Curve, i: number): Look => look ?? lookAt(i);
  const curveColour = (curve: Curve, i: number) => colour(`--curve-${lookIn(curve, i).colour}`);
  const curveDash = (curve: Curve | undefined, i: number) =>
    curve === undefined ? dashes[0] : dashes[lookIn(curve, i).kind % dashes.length]!;
  const banded = curves.flatMap((curve, i) => (curve.band === undefined ? [] : [curveColour(curve, i)]));
  const first = 1 + curves.length + levels.length;
  return {
    width: box.clientWidth,
    height,
    cursor: { points: { size: 6 } },
    // The last number of the axis has its place too. The legend tells the values where the pointer is.
    padding: [8, 40, 0, 0],
    legend: { show: true, markers: { dash: (_, i) => curveDash(curves[i - 1], i - 1).border } },
    scales: {
      x: { time: false, distr: logX ? 3 : 1 },
      y: { distr: logY ? 3 : 1, ...(bounds === undefined || logY ? {} : { range: rangeIn(bounds) }) },
    },
    // Room for the longest number beside the curve: 25,000 is cut off where 0.25 is not.
    axes: [
      { ...axis, values: ticksIn('compact'), size: 30, label: xName, labelSize: 18, labelFont: '12px system-ui, sans-serif', labelGap: 0 },
      {
        ...axis,
        values: ticksIn('standard'),
        size: (_, labels) => 18 + 7 * Math.max(5, ...(labels ?? []).map((label) => label?.length ?? 0)),
      },
    ],
    series: [
      { label: xName, value: inWords },
      ...curves.map((curve, i) => ({
        label: curve.name,
        stroke: curveColour(curve, i),
        dash: [...curveDash(curve, i).line],
        width: 2,
        spanGaps: true,
        value: inWords,
      })),
      ...levels.map(({ name }) => ({ label: name, stroke: ink, width: 1, dash: [6, 4], points: { show: false }, value: inWords })),
      ...banded.flatMap(() => [bandEdge, bandEdge]),
    ],
    hooks: { draw: [(chart) => nameLevels(chart, levels, { ink, paper: colour('--ground') })] },
    bands: banded.map((stroke, i) => ({ series: [first + 2 * i, first + 2 * i + 1], fill: `${stroke}22` })),
  };
}

function rangeIn(bounds: Bounds): UPlot.Scale.Range {
  if (bounds !== 'zero') return [bounds[0], bounds[1]];
  return (_, least, most) => {
    const [low, high] = [Math.min(0, least ?? 0), Math.max(0, most ?? 0)];
    const rim = low === high ? 1 : 0.08 * (high - low);
    return [low < 0 ? low - rim : 0, high > 0 || low === high ? high + rim : 0];
  };
}

/** Lines of the same colour: how they are drawn, and as what they stand in the legend. */
const dashes = [
  { line: [], border: 'solid' },
  { line: [10, 5], border: 'dashed' },
  { line: [2, 4], border: 'dotted' },
  { line: [12, 4, 2, 4], border: 'double' },
] as const;

/** Each level says what it is: at its right end, but the lowest at its left, where curves that fall have not come to yet. */
function nameLevels(
  { ctx, bbox, valToPos }: UPlot,
  levels: readonly Level[],
  { ink, paper }: { readonly ink: string; readonly paper: string },
): void {
  const scale = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = ink;
  ctx.textBaseline = 'bottom';
  ctx.font = `${12 * scale}px system-ui, sans-serif`;
  // A rim in the color of the page sets the words off from a curve behind them.
  ctx.strokeStyle = paper;
  ctx.lineWidth = 4 * scale;
  ctx.lineJoin = 'round';
  for (const { name, value } of levels) {
    const isLowest = levels.length > 1 && levels.every((other) => other.value >= value);
    ctx.textAlign = isLowest ? 'left' : 'right';
    const at = [isLowest ? bbox.left + 4 * scale : bbox.left + bbox.width - 4 * scale, valToPos(value, 'y', true) - 3 * scale] as const;
    ctx.strokeText(name, ...at);
    ctx.fillText(name, ...at);
  }
  ctx.restore();
}

/** Nothing, while the pointer is elsewhere. */
function inWords(_: UPlot | null, value: number | null): string {
  return value === null ? '' : value.toLocaleString('en', { maximumSignificantDigits: 3 }).replace('-', '−');
}

/** Numbers of an axis, short enough to stand beside each other on a phone: 200K. */
function ticksIn(notation: 'compact' | 'standard'): UPlot.Axis.Values {
  const format = new Intl.NumberFormat('en', { notation, maximumSignificantDigits: 6 });
  return (_, splits) => splits.map((split) => (split === null ? '' : format.format(split).replace('-', '−')));
}

const bandEdge: UPlot.Series = { width: 0, points: { show: false }, spanGaps: true, class: 'hidden' };

function Numbers({ x, xName, curves, levels }: Drawn & Pick<PlotProps, 'xName'>) {
  return (
    <details>
      <summary>Show as table</summary>
      {levels.length === 0 ? null : <p className="small">{levels.map(({ name, value }) => `${name}: ${value.toFixed(4)}`).join('; ')}</p>}
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
          {thinIndices(x.length).map((i) => (
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
function thinIndices(length: number): readonly number[] {
  const most = Math.min(20, length);
  return Array.from({ length: most }, (_, i) => Math.round((i * (length - 1)) / Math.max(1, most - 1)));
}
