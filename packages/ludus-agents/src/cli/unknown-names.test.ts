/** @file A name or an option that does not exist: every command says so in a sentence, with the nearest one there is, and for programs as JSON. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folder, ludus } from './terminal.cases.ts';

const cwd = folder();
beforeAll(async () => {
  const plan = { name: 'games', environments: ['kuhn-poker'], seeds: [1, 2], casts: [{ first: 'scripted', second: 'random' }] };
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
  await ludus(cwd, ['run', 'plan.json']);
  await ludus(cwd, ['train', 'kuhn-tabular', '--games', '10', '--name', 'short']);
});

/** A command line with a wrong name, and the intended one. */
const names: readonly (readonly [string, string])[] = [
  // Environments.
  ['play kuhn-pokr --watch', '"kuhn-poker"'],
  ['list episodes --environment kuhn-pokr', '"kuhn-poker"'],
  ['show environment kuhn-pokr', '"kuhn-poker"'],
  ['env check kuhn-pokr', '"kuhn-poker"'],
  ['env coverage kuhn-pokr', '"kuhn-poker"'],
  ['env solve kuhn-pokr', '"kuhn-poker"'],
  ['env exploit fake kuhn-pokr', '"kuhn-poker"'],
  ['arena kuhn-pokr --agents scripted,random', '"kuhn-poker"'],
  ['improve ablate scripted --on kuhn-pokr', '"kuhn-poker"'],
  ['env dream kuhn-pokr -o dream.json', '"kuhn-poker"'],
  ['train kuhn-tabular --environment kuhn-pokr', '"kuhn-poker"'],
  ['serve openenv kuhn-pokr', '"kuhn-poker"'],
  ['fleet worker --environments kuhn-pokr --until-empty', '"kuhn-poker"'],
  ['data export --environment kuhn-pokr', '"kuhn-poker"'],
  // Agents that could play.
  ['play kuhn-poker --agents scriptd,random', '"scripted"'],
  ['play kuhn-poker --first scriptd', '"scripted"'],
  ['eval games-core --agents scriptd', '"scripted"'],
  ['test games-core --agents scriptd', '"scripted"'],
  ['arena kuhn-poker --agents scriptd,random', '"scripted"'],
  ['env coverage kuhn-poker --agent scriptd', '"scripted"'],
  ['persona probe innkeeper --agent scriptd', '"scripted"'],
  ['improve ablate scriptd --on kuhn-poker', '"scripted"'],
  ['improve scriptd --on games-core', '"scripted"'],
  ['train kuhn-tabular --against scriptd', '"scripted"'],
  ['play kuhn-poker --first local/shrt', '"short"'],
  ['env exploit local/shrt kuhn-poker', '"short"'],
  ['train --resume shrt', '"short"'],
  // Agents that have played.
  ['compare scripted:equilibrum random', '"scripted:equilibrium"'],
  ['compare rndom games', '"random"'],
  ['list episodes --agent rndom', '"random"'],
  ['data export --agent rndom', '"random"'],
  ['store forget --agent rndom --yes', '"random"'],
  ['store memory rndom', '"random"'],
  // Runs and episodes.
  ['list episodes --run gams', '"games"'],
  ['show gams', '"games"'],
  ['replay gams', '"games"'],
  ['fork gams --at 1', '"games"'],
  ['show explain gams --at 1', '"games"'],
  ['show blame gams', '"games"'],
  ['judge review gams', '"games"'],
  ['desk tasks from gams -o tasks.json', '"games"'],
  ['score gams', '"games"'],
  ['compare gams games', '"games"'],
  ['compare scripted random --run gams', '"games"'],
  ['report gams', '"games"'],
  ['improve lineage gams', '"games"'],
  ['improve rollback gams x', '"games"'],
  ['store prune gams', '"games"'],
  ['data export --run gams', '"games"'],
  ['store forget gams', '"games"'],
  ['store forget --run gams --yes', '"games"'],
  ['improve diff gams games', '"games"'],
  // Suites, recipes, scorers, teachers, learners, engines.
  ['eval games-cor --agents scripted', '"games-core"'],
  ['test games-cor --agents scripted', '"games-core"'],
  ['score games --suite games-cor', '"games-core"'],
  ['compare scripted random --on games-cor', '"games-core"'],
  ['improve scripted --on games-cor', '"games-core"'],
  ['score games --scorers retrn', '"return"'],
  ['show recipe kuhn-tabulr', '"kuhn-tabular"'],
  ['train kuhn-tabulr', '"kuhn-tabular"'],
  ['train sweep kuhn-tabulr', '"kuhn-tabular"'],
  ['train kuhn-tabular --teacher unifrm', '"uniform"'],
  ['train kuhn-tabular --learner tabl', '"table"'],
  // Judges and other models.
  ['play kuhn-poker --first llm:fak', '"fake"'],
  ['env exploit fak kuhn-poker', '"fake"'],
  ['chat innkeeper --model fak', '"fake"'],
  ['persona probe innkeeper --judge fak', '"fake"'],
  ['serve a2a --character fak', '"fake"'],
  ['serve proxy --character fak', '"fake"'],
  // Personas and populations.
  ['chat inkeeper', '"innkeeper"'],
  ['persona probe inkeeper', '"innkeeper"'],
  ['persona teach inkeeper', '"innkeeper"'],
  ['persona suite inkeeper -o bench.json', '"innkeeper"'],
  ['show persona inkeeper', '"innkeeper"'],
  ['show persona inkeeper', '"innkeeper"'],
  ['persona check inkeeper', '"innkeeper"'],
  ['persona sample custmers', '"customers"'],
  ['survey facts custmers', '"customers"'],
  // Kinds, formats, files and actions.
  ['list environmnts', '"environments"'],
  ['new enviroment x', '"environment"'],
  ['attack scripted --with jailbrek', '"jailbreak"'],
  ['config keys sett', '"set"'],
  ['data export --format jsnl', '"jsonl"'],
  ['run pln.json', '"plan.json"'],
  ['run pln.json --dry-run', '"plan.json"'],
  ['desk bot pln', '"plan.json"'],
  ['desk bot pln.json', '"plan.json"'],
  ['desk check pln.json', '"plan.json"'],
];

const options: readonly (readonly [string, string])[] = [
  ['train kuhn-tabular --env kuhn-poker', "Unknown option '--env'. Did you mean --environment?"],
  ['list episodes --env kuhn-poker', "Unknown option '--env'. Did you mean --environment?"],
  ['list episodes --world kuhn-poker', "Unknown option '--world'. Did you mean --environment?"],
  ['eval games-core --model fake', "Unknown option '--model'. Did you mean --agents llm:MODEL?"],
  ['arena kuhn-poker --model fake', "Unknown option '--model'. Did you mean --agents llm:MODEL?"],
  ['env coverage kuhn-poker --model fake', "Unknown option '--model'. Did you mean --agent llm:MODEL?"],
  ['eval games-core --agent scripted', "Unknown option '--agent'. Did you mean --agents?"],
  ['env coverage kuhn-poker --agents scripted', "Unknown option '--agents'. Did you mean --agent?"],
  ['train kuhn-tabular --episodes 10', "Unknown option '--episodes'. Did you mean --games?"],
  ['run plan.json --parallel 3', "Unknown option '--parallel'. Did you mean --concurrency?"],
  ['data export --out x.jsonl', "Unknown option '--out'. Did you mean --output?"],
  ['list runs --jsno', "Unknown option '--jsno'. Did you mean --json?"],
  ['env check --environment kuhn-poker', 'the environment is a word without an option: "ludus env check ENVIRONMENT"'],
  ['eval --suite games-core', 'the suite is a word without an option: "ludus eval SUITE"'],
  ['train --recipe kuhn-lm', 'the recipe is a word without an option: "ludus train RECIPE"'],
  ['chat --character innkeeper', 'the persona is a word without an option: "ludus chat PERSONA"'],
  ['desk tasks make shop --otput x.json', 'Did you mean --output? See "ludus desk tasks make'],
];

async function wrong(line: string): Promise<string> {
  const { code, out, err } = await ludus(cwd, [...line.split(' '), '--json']);
  const sentence = err.match(/^✗ (.*)$/m)?.[1] ?? '';
  expect({ line, status: code, ...JSON.parse(out) }).toMatchObject({ line, status: 2, error: sentence, exit: 2 });
  return sentence;
}

describe('an unknown name', () => {
  it.each(names)('gets a suggestion: %s', async (line, meant) => {
    expect(await wrong(line)).toContain(`${meant === '"plan.json"' ? 'did' : 'Did'} you mean ${meant}?`);
  });
});

it('of a scripted player resolves to its kind if only one has played', async () => {
  const { code, out } = await ludus(cwd, ['compare', 'scripted', 'random', '--json']);
  expect([code, JSON.parse(out)]).toMatchObject([0, { a: 'scripted:equilibrium', b: 'random' }]);
});

describe('an unknown option', () => {
  it.each(options)('gets a suggestion: %s', async (line, meant) => {
    expect(await wrong(line)).toContain(meant);
  });

  it('can be an unknown seat', async () => {
    expect(await wrong('play kuhn-poker --model fake')).toContain('Did you mean --agents?');
    expect(await wrong('play kuhn-poker --frist random')).toContain('Did you mean "first"?');
  });
});
