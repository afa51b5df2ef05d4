/**
 * @file A repairer learns by trying on bugs of one token that an injector puts into small repositories, and is tested on all bugs of
 * repositories that it has not seen. Injector and repairer are log-linear: they weigh a change by its tokens, their neighbors, and
 * whether a failing test names the function.
 *
 * Options: injector ("self-play": it learns, paid most for bugs that few attempts repair; "frozen": it draws evenly; "any": it learns,
 * paid for every bug; "list": 40 bugs), games (injected bugs), attempts (for each bug), rate, slow (the injector's rate), seed. Prints
 * the share of held-out bugs that the likeliest change repairs, the mean chance of the change that undoes the bug, the share of injected
 * bugs repaired in the first and the last fifth, and the updates of the injector.
 */

import { tokensOf } from '@ludus-agents/environments/internal/interpreter/tokens';
import { type Files, injectorReward, passes, runTests } from '@ludus-agents/environments/internal/programs/judging';
import { applyChange, type CodeChange, changesOf } from '@ludus-agents/environments/internal/programs/mutations';
import { type Repository, repositories } from '@ludus-agents/environments/internal/programs/repositories';
import type { Json, Rng } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { ProgramOptions } from '../arms.ts';

const heldOut = 3;
const listed = 40;

export default function run({
  injector: kind = 'self-play',
  games = 1000,
  attempts = 4,
  rate = 0.05,
  slow = 0.005,
  seed = 1,
}: ProgramOptions): Json {
  const random = rng(Number(seed), 'injected bugs', 'games');
  const shuffledOnes = rng(Number(seed), 'injected bugs', 'repositories').shuffle(repositories);
  const [unseen, practiced] = [shuffledOnes.slice(0, heldOut), shuffledOnes.slice(heldOut)];
  const [repairer, injector] = [new Chooser(Number(rate)), new Chooser(Number(slow))];
  const learns = kind === 'self-play' || kind === 'any';
  const fixed = kind === 'list' ? Array.from({ length: listed }, () => validBug(random, random.pick(practiced))) : [];
  const rates: number[] = [];
  let acted = 0;
  while (rates.length < Number(games)) {
    const listedBug = fixed.length > 0 ? random.pick(fixed) : null;
    const repository = listedBug?.repository ?? random.pick(practiced);
    const options = changesOf(repository.files);
    const chances = injector.chances(repository.files, repository.tests);
    const at = pickBy(random, chances);
    const bug = listedBug?.bug ?? (options[at] as CodeChange);
    const broken = applyChange(repository.files, bug) as Files;
    if (passes(broken, repository.tests)) {
      // A change that passes all tests is not a bug, and costs a learning injector a reward.
      if (learns) injector.learn(repository.files, repository.tests, { chances, at, by: -1 });
      continue;
    }
    const solved = attemptAll(repairer, { repository, broken, random, attempts: Number(attempts) });
    rates.push(solved / Number(attempts));
    if (!learns) continue;
    acted++;
    injector.learn(repository.files, repository.tests, { chances, at, by: kind === 'any' ? 1 : injectorReward(solved, Number(attempts)) });
  }
  const fifth = Math.ceil(rates.length / 5);
  return {
    ...testOn(repairer, unseen),
    ...{ early: meanOrZero(rates.slice(0, fifth)), late: meanOrZero(rates.slice(-fifth)), acted },
  };
}

/** The attempts to repair a bug, from which the repairer learns together: each is compared with their mean. */
function attemptAll(
  repairer: Chooser,
  {
    repository,
    broken,
    random,
    attempts,
  }: { readonly repository: Repository; readonly broken: Files; readonly random: Rng; readonly attempts: number },
): number {
  const options = changesOf(broken);
  const chances = repairer.chances(broken, repository.tests);
  const tries = Array.from({ length: attempts }, () => {
    const at = pickBy(random, chances);
    return { at, ok: passes(applyChange(broken, options[at] as CodeChange) as Files, repository.tests) };
  });
  const solved = tries.filter(({ ok }) => ok).length;
  for (const { at, ok } of tries) repairer.learn(broken, repository.tests, { chances, at, by: Number(ok) - solved / attempts });
  return solved;
}

/** The share of all bugs of repositories that the likeliest change repairs, and the mean chance of the change that undoes the bug. */
function testOn(
  repairer: Chooser,
  unseen: readonly Repository[],
): { readonly repaired: number; readonly undone: number; readonly bugs: number } {
  const [repaired, undone]: [number[], number[]] = [[], []];
  for (const { files, tests } of unseen)
    for (const bug of changesOf(files)) {
      const broken = applyChange(files, bug) as Files;
      if (passes(broken, tests)) continue;
      const options = changesOf(broken);
      const chances = repairer.chances(broken, tests);
      const best = chances.indexOf(Math.max(...chances));
      repaired.push(Number(passes(applyChange(broken, options[best] as CodeChange) as Files, tests)));
      const back = options.findIndex(
        (each) => each.line === bug.line && each.nth === bug.nth && each.file === bug.file && each.to === bug.from,
      );
      undone.push(chances[back] ?? 0);
    }
  return { repaired: meanOrZero(repaired), undone: meanOrZero(undone), bugs: repaired.length };
}

function validBug(random: Rng, repository: Repository) {
  for (;;) {
    const bug = random.pick(changesOf(repository.files));
    if (!passes(applyChange(repository.files, bug) as Files, repository.tests)) return { repository, bug };
  }
}

function pickBy(random: Rng, chances: readonly number[]): number {
  let rest = random.next();
  for (const [i, chance] of chances.entries()) {
    rest -= chance;
    if (rest < 0) return i;
  }
  return chances.length - 1;
}

interface Choice {
  readonly chances: readonly number[];
  readonly at: number;
  readonly by: number;
}

/** A log-linear policy over the changes of a program, which learns by REINFORCE. */
class Chooser {
  readonly #weights = new Map<string, number>();
  readonly #rate: number;

  constructor(rate: number) {
    this.#rate = rate;
  }

  chances(files: Files, tests: Files): readonly number[] {
    const scores = featuresOf(files, tests).map((features) => features.reduce((sum, key) => sum + (this.#weights.get(key) ?? 0), 0));
    const highest = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - highest));
    const all = weights.reduce((sum, each) => sum + each, 0);
    return weights.map((each) => each / all);
  }

  learn(files: Files, tests: Files, { chances, at, by }: Choice): void {
    if (by === 0) return;
    for (const [i, features] of featuresOf(files, tests).entries()) {
      const step = this.#rate * by * (Number(i === at) - (chances[i] as number));
      for (const key of features) this.#weights.set(key, (this.#weights.get(key) ?? 0) + step);
    }
  }
}

const featureMemory = new Map<string, readonly (readonly string[])[]>();

/** What a change looks like: its tokens, alone and with their neighbors, and whether a failing test names the function it is in. */
function featuresOf(files: Files, tests: Files): readonly (readonly string[])[] {
  const key = Object.values(files).join('\n');
  const before = featureMemory.get(key);
  if (before !== undefined) return before;
  const failing = runTests(files, tests).flatMap(({ ok, name }) => (ok ? [] : [name]));
  const lines = Object.values(tests).flatMap((text) => text.split('\n'));
  const failed = lines.filter((line) => failing.some((name) => line.includes(name))).join('\n');
  const texts = new Map(Object.entries(files).map(([path, source]) => [path, { tokens: tokensOf(source), lines: source.split('\n') }]));
  const features = changesOf(files).map(({ file, line, nth, from, to }) => {
    const { tokens = [], lines: source = [] } = texts.get(file) ?? {};
    const place = tokens.indexOf(tokens.filter((token) => token.line === line)[nth - 1] as (typeof tokens)[number]);
    const at = (offset: number) => tokens[place + offset]?.text ?? '';
    const head = source.slice(0, line).findLast((text) => /function \w+/.test(text)) ?? '';
    const isNamed = failed.includes(`${/function (\w+)/.exec(head)?.[1] ?? '-'}(`);
    const change = `${from} ${to}`;
    return [isNamed ? 'named' : 'other', change, `${at(-1)} | ${change}`, `${change} | ${at(1)}`, `${at(-1)} | ${change} | ${at(1)}`];
  });
  if (featureMemory.size > 3000) featureMemory.clear();
  featureMemory.set(key, features);
  return features;
}
