/** @file Plots as SVG text, drawn by hand: means with intervals against a floor, and how values are spread. */

import type { Interval } from '../statistics/mean.ts';
import { clipText, escapeHtml, figure, formatGrouped } from './wording.ts';

export interface Mark {
  readonly label: string;
  readonly value: number;
  readonly interval: Interval | null;
  /** Which colour of the page; −1 is the grey of those that do not try. */
  readonly colour: number;
}

export interface Axis {
  readonly from: number;
  readonly to: number;
  readonly points: boolean;
}

/** Round bounds that contain all values, and where to write numbers. */
export function axisFor(values: readonly number[], points: boolean): Axis {
  if (points) return { from: 0, to: 1, points };
  const low = Math.min(...values);
  const high = Math.max(...values);
  const step = stepFor(high - low || Math.abs(high) || 1);
  return { from: Math.floor(low / step) * step, to: Math.ceil(high / step) * step + (high === low ? step : 0), points };
}

function stepFor(width: number): number {
  const rough = width / 5;
  const ten = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((value) => value * ten >= rough) ?? 10) * ten;
}

function ticks({ from, to }: Axis): readonly number[] {
  const step = stepFor(to - from);
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step);
}

const wide = 720;
const left = 190;
const right = 30;

function placeOn(axis: Axis): (value: number) => number {
  return (value) => left + ((Math.min(axis.to, Math.max(axis.from, value)) - axis.from) / (axis.to - axis.from)) * (wide - left - right);
}

const round = (x: number) => Number(x.toFixed(1));

/** One line an agent: a dot at the mean, a bar over the interval; what lies below the floor is shaded. */
export function forest(marks: readonly Mark[], { axis, floor, title }: { axis: Axis; floor: number | null; title: string }): string {
  const row = 34;
  const height = marks.length * row + 40;
  const x = placeOn(axis);
  const bottom = height - 30;
  const grid = ticks(axis).map(
    (tick) =>
      `<line class="grid" x1="${round(x(tick))}" y1="6" x2="${round(x(tick))}" y2="${bottom}"/><text class="tick" x="${round(x(tick))}" y="${height - 10}" text-anchor="middle">${figure(tick, axis.points).replace(/\.0$/, '')}</text>`,
  );
  const shade =
    floor === null
      ? ''
      : `<rect class="below" x="${round(x(axis.from))}" y="6" width="${round(Math.max(0, x(floor) - x(axis.from)))}" height="${bottom - 6}"/><line class="floor" x1="${round(x(floor))}" y1="6" x2="${round(x(floor))}" y2="${bottom}"/>`;
  const lines = marks.map(({ label, value, interval, colour }, i) => {
    const y = 6 + i * row + row / 2;
    const bar =
      interval === null ? '' : `<line class="bar" x1="${round(x(interval[0]))}" y1="${y}" x2="${round(x(interval[1]))}" y2="${y}"/>`;
    const text = `${label}: ${figure(value, axis.points)}${interval === null ? '' : `, 95% ${figure(interval[0], axis.points)} to ${figure(interval[1], axis.points)}`}`;
    return `<g class="${tint(colour)}"><title>${escapeHtml(text)}</title><text class="label" x="${left - 14}" y="${y + 4}" text-anchor="end">${escapeHtml(clipText(label, 26))}</text>${bar}<circle cx="${round(x(value))}" cy="${y}" r="5.5"/></g>`;
  });
  return svg(height, title, [shade, ...grid, ...lines]);
}

/** How often which value came, from the least to the most, in bins of the same width. */
export function histogram(values: readonly number[], { axis, colour, title }: { axis: Axis; colour: number; title: string }): string {
  const bins = 24;
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(((value - axis.from) / (axis.to - axis.from)) * bins)));
    counts[bin] = counts[bin] + 1;
  }
  const most = Math.max(1, ...counts);
  const [width, height, base] = [340, 120, 96];
  const each = (width - 20) / bins;
  const bars = counts.map((n, i) => {
    const tall = n === 0 ? 0 : Math.max(2, (n / most) * 84);
    return n === 0
      ? ''
      : `<rect x="${round(10 + i * each + 1)}" y="${round(base - tall)}" width="${round(each - 2)}" height="${round(tall)}" rx="1.5"><title>${n}</title></rect>`;
  });
  const ends = [axis.from, (axis.from + axis.to) / 2, axis.to].map((tick, i) => {
    const anchor = ['start', 'middle', 'end'][i];
    return `<text class="tick" x="${[10, width / 2, width - 10][i]}" y="${height - 6}" text-anchor="${anchor}">${figure(tick, axis.points).replace(/\.0$/, '')}</text>`;
  });
  const ground = `<line class="grid" x1="10" y1="${base}" x2="${width - 10}" y2="${base}"/>`;
  return svg(height, title, [`<g class="${tint(colour)}">`, ...bars, '</g>', ground, ...ends], width);
}

/** A value over the course of something: a line that has gaps where there is no value. */
export function curve(
  points: readonly { readonly x: number; readonly y: number | null }[],
  { colour, title }: { readonly colour: number; readonly title: string },
): string {
  const visible = points.flatMap(({ x, y }) => (y === null ? [] : [{ x, y }]));
  const axis = axisFor(
    visible.map(({ y }) => y),
    false,
  );
  const [first, last] = [points[0].x, points[points.length - 1].x];
  const [width, height, start, base] = [340, 190, 52, 156];
  const across = (x: number) => round(start + (last === first ? 0.5 : (x - first) / (last - first)) * (width - start - 14));
  const up = (y: number) => round(base - ((y - axis.from) / (axis.to - axis.from)) * (base - 12));
  const grid = ticks(axis).map(
    (tick) =>
      `<line class="grid" x1="${start}" y1="${up(tick)}" x2="${width - 14}" y2="${up(tick)}"/><text class="tick" x="${start - 6}" y="${up(tick) + 4}" text-anchor="end">${figure(tick, false)}</text>`,
  );
  const ends = [first, last].map(
    (x, i) =>
      `<text class="tick" x="${[start, width - 14][i]}" y="${height - 14}" text-anchor="${['start', 'end'][i]}">${formatGrouped(x)}</text>`,
  );
  const path = points.map(({ x, y }, i) => (y === null ? '' : `${i > 0 && points[i - 1].y !== null ? 'L' : 'M'}${across(x)} ${up(y)}`));
  const dots = visible.map(
    ({ x, y }) => `<circle cx="${across(x)}" cy="${up(y)}" r="2"><title>${formatGrouped(x)}: ${figure(y, false)}</title></circle>`,
  );
  const text = `<g class="${tint(colour)}"><path class="curve" d="${path.join('')}"/>${dots.join('')}</g>`;
  return svg(height, title, [...grid, ...ends, text], width);
}

/** A small bar from 0 to 1 with its interval, for the cells of a table. */
export function meter(value: number, interval: Interval | null, { axis, colour }: { axis: Axis; colour: number }): string {
  const at = (value: number) => round(((Math.min(axis.to, Math.max(axis.from, value)) - axis.from) / (axis.to - axis.from)) * 100);
  const bar = interval === null ? '' : `<line class="bar" x1="${at(interval[0])}" y1="5" x2="${at(interval[1])}" y2="5"/>`;
  return `<svg class="meter" viewBox="-4 0 108 10" aria-hidden="true"><line class="grid" x1="0" y1="5" x2="100" y2="5"/><g class="${tint(colour)}">${bar}<circle cx="${at(value)}" cy="5" r="3.4"/></g></svg>`;
}

export function tint(colour: number): string {
  return colour < 0 ? 'c-null' : `c-${colour % 6}`;
}

function svg(height: number, title: string, parts: readonly string[], width: number = wide): string {
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}"><title>${escapeHtml(title)}</title>${parts.join('')}</svg>`;
}
