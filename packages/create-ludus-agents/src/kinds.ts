/** @file The five kinds of projects: the files that each starts with, and its scripts. */

/** A kind of project. */
export interface ProjectKind {
  /** What its user wants to do, as the question lists it. */
  readonly goal: string;
  /** Arguments of "ludus new", once for each thing that the project starts with. */
  readonly things: readonly (readonly [kind: string, name: string, ...options: readonly string[]])[];
  /** Further files of the project. */
  readonly files?: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  /** Sentences for the README, one for each script. */
  readonly steps: Readonly<Record<string, string>>;
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export const projectKinds: Readonly<Record<string, ProjectKind>> = {
  game: {
    goal: 'Train an agent by self-play in my own game',
    things: [['environment', 'sticks']],
    scripts: {
      start: 'ludus train kuhn-tabular --environment ./sticks.mts --games 20000 --name first',
      play: 'ludus play ./sticks.mts --me first --second local/first@best',
      check: 'ludus env check ./sticks.mts',
      test: 'node --test',
    },
    steps: {
      start: 'Train an agent against itself (a few seconds).',
      play: 'Play against the trained agent.',
      check: 'Check the rules of your game after you change `sticks.mts`.',
      test: 'Run the tests of your game.',
    },
  },
  character: {
    goal: 'Write a character and talk with it',
    things: [['persona', 'ann']],
    scripts: {
      start: 'ludus chat ./ann.json',
      check: 'ludus persona check ./ann.json',
      models: 'ludus models',
      test: 'node --test',
    },
    steps: {
      start: 'Talk with Ann. Without a model she answers with the lines on her card.',
      check: 'Look for contradictions and missing traits on the card.',
      models: 'See which language models you can use: `npm start -- --model NAME`.',
      test: 'Run the tests of the character.',
    },
  },
  bot: {
    goal: 'Test a bot before a release',
    things: [
      ['bot', 'my-bot'],
      ['desk', 'shop'],
    ],
    scripts: {
      start: 'ludus eval ./shop --agents ./my-bot.json',
      check: 'ludus desk bot ./my-bot.json && ludus desk check ./shop',
      gate: 'ludus test ./shop --agents ./my-bot.json --fail-under 0.9 --junit gate.xml --markdown gate.md --html gate.html --yes',
      test: 'node --test',
    },
    steps: {
      start: 'Let simulated customers talk to the example bot, and see what it gets wrong.',
      check: 'Check that the bot answers and that every case of the desk can be solved.',
      gate: 'Run the release gate: exit code 1 and a report when the bot fails. The example bot fails; put your bot into `my-bot.bot.mts`.',
      test: 'Run the tests of the bot and the desk.',
    },
  },
  survey: {
    goal: 'Survey a synthetic population',
    things: [['population', 'town']],
    files: {
      'questions.json': json({
        name: 'town',
        items: [
          { id: 'move', text: 'Will you move away in the next five years?', options: ['yes', 'no'] },
          { id: 'trust', text: 'Can most people be trusted?', options: ['yes', 'no', 'it depends'] },
        ],
      }),
    },
    scripts: {
      start: 'ludus survey questions.json --population ./town.json -n 100 --agent fake -o answers.csv',
      sample: 'ludus persona sample ./town.json -n 20',
      test: 'node --test',
    },
    steps: {
      start:
        'Ask 100 people; answers go to `answers.csv`. The model `fake` answers at random: pass `--agent llm:PROVIDER/MODEL` for real ones.',
      sample: 'Draw 20 people and read who they are.',
      test: 'Run the tests of the population.',
    },
  },
  prompt: {
    goal: 'Improve a prompt against my own test cases',
    things: [['suite', 'cases', '--cases']],
    files: {
      'agent.json': json({
        name: 'assistant',
        kind: 'llm',
        model: 'fake',
        texts: { instruction: 'Answer questions of customers.' },
      }),
    },
    scripts: {
      start: 'ludus improve instruction-demo --engine gepa --budget 200 --seed 1',
      eval: 'ludus eval ./cases.csv --agents ./agent.json --yes',
      improve: 'ludus improve ./agent.json --on ./cases.csv',
    },
    steps: {
      start: 'Watch a prompt improve in a demonstration that needs no model.',
      eval: 'Measure your agent on the cases in `cases.csv`. Its model is `fake`, which answers at random: name yours in `agent.json`.',
      improve: 'Improve the instruction with a model: `npm run improve -- --proposer PROVIDER/MODEL`.',
    },
  },
};
