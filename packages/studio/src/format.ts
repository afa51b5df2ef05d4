/** @file Numbers and names as people read them. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** With its sign and a real minus: +1, −0.5, 0. */
export function formatSigned(amount: number, places = 2): string {
  const rounded = Number(amount.toFixed(places));
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : '0';
}

export function money(dollars: number | null): string {
  if (dollars === null) return 'price unknown';
  if (dollars === 0) return '$0';
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

export function formatGrouped(amount: number): string {
  return amount.toLocaleString('en');
}

export function count(amount: number, noun: string, many = `${noun}s`): string {
  return `${formatGrouped(amount)} ${amount === 1 ? noun : many}`;
}

/** Whether the seed was chosen automatically: such numbers are long and carry no information. */
export function isDrawn(seed: number | string): boolean {
  return Number(seed) >= 1e6;
}

interface Titled {
  readonly environment: string;
  readonly seed: number | string;
  readonly title?: string | null;
}

/** The readable name of an episode: environment, task, and the seed if a user chose it. */
export function episodeTitle({ environment, seed, title }: Titled): string {
  // An imported conversation has no seed, and was played in nothing.
  if (environment.startsWith('relay@') && title != null) return toTitle(title);
  return `${toTitle(environment)}${title == null ? '' : `: ${title}`}${isDrawn(seed) ? '' : ` · seed ${seed}`}`;
}

/** "http://localhost:8000/v1#qwen3" as "qwen3": the address is in the title of the element. */
export function modelTitle(model: string): string {
  return model.split('#', 2)[1] ?? model;
}

/** As much of an id as a person needs. */
export function brief(id: string): string {
  return id.length > 12 && /^[0-9a-f]+$/.test(id) ? id.slice(0, 8) : id;
}

/** What a person calls a run: the name they gave it, else its id without the hash, else what was played. */
export function runTitle({
  id,
  environments,
  name = '',
}: {
  readonly id: string;
  readonly environments: readonly string[];
  readonly name?: string | undefined;
}): string {
  if (name !== '') return name;
  if (id === 'studio') return 'Played in the studio';
  const isDemo = id.endsWith('-demo');
  const purpose = (isDemo ? id.slice(0, -5) : id).replace(linear(/-?[0-9a-f]{8,}$/), '');
  if (purpose !== '') return isDemo ? `${purposeTitle(purpose)} (demo)` : purposeTitle(purpose);
  const titles = [...new Set(environments.map(toTitle))];
  return titles.length === 0 ? brief(id) : titles.slice(0, 2).join(', ');
}

const attackId = linear(
  /^attack-(guard|privacy|jailbreak|redcoder|injection|twins|threats|crescendo|goat|mischievous)-(.+)-(\d+)(?:\.(\d+))?$/,
);

/** Ids that commands give to runs, as titles: "attack-guard-llm-fake-1" as "Attack on llm-fake: guard, seed 1". Other names stay. */
function purposeTitle(id: string): string {
  const [, kind, target, seed, repeat] = attackId.exec(id) ?? [];
  if (target !== undefined) return `Attack on ${target}: ${kind}, seed ${seed}${repeat === undefined ? '' : `, repeat ${repeat}`}`;
  // An optimization run ends in its engine, its seed, and four letters: "instruction-demo-gepa-1-61e0".
  const [, optimized, engine, dice] = linear(/^(.+)-(team-policy|[a-z]+)-(\d+)-[0-9a-f]{4}$/).exec(id) ?? [];
  if (optimized !== undefined) return `${optimized}: ${engine}, seed ${dice}`;
  const [, purpose, subject] = linear(/^(arena|survey|probe|chat|scene)-(.+)$/).exec(id) ?? [];
  if (subject === undefined) return id;
  // A character's name, which is written in capitals.
  const isPerson = purpose === 'chat' || purpose === 'probe';
  return `${toTitle(purpose ?? '')}: ${isPerson ? subject.split('-').map(toTitle).join(' ') : toTitle(subject)}`;
}

/** "kuhn-poker@1" as a title: "Kuhn poker"; "./stick-game.ts" as "Stick game". */
export function toTitle(name: string): string {
  const file = linear(/([^\\/]+)\.(?:[cm]?[jt]s|json)(?:#.*)?$/).exec(name)?.[1];
  const spaced = (file ?? name).split('@', 1)[0]!.replaceAll('-', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Round numbers around all values, first and last among them: where an axis begins, is marked, and ends. */
export function roundTicks(low: number, high: number): readonly number[] {
  const raw = (high - low) / 4;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((times) => times * unit >= raw * (1 - 1e-9)) as number) * unit;
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
