/**
 * @file The lines that the demonstration's player obeys: some help, some harm, some only take up room.
 *
 * A line has the same effect in any position. Effects are fixed and known, so the best instruction is known too; its score has to be
 * measured by playing.
 */

export type DemoRule = {
  readonly name: string;
  readonly line: string;
  readonly component: 'instruction' | 'skill/numbers' | 'skill/pegs';
};

export const rules = [
  { name: 'form', line: 'Write nothing but one guess in square brackets.', component: 'instruction' },
  { name: 'between', line: 'Stay between the numbers that were too low and those that were too high.', component: 'skill/numbers' },
  { name: 'middle', line: 'Guess the middle of the numbers that are left.', component: 'skill/numbers' },
  { name: 'edge', line: 'Guess the lowest number that is left.', component: 'skill/numbers' },
  { name: 'lucky', line: 'Lucky numbers end in seven.', component: 'skill/numbers' },
  { name: 'agree', line: 'Guess only rows that agree with every answer so far.', component: 'skill/pegs' },
  { name: 'open', line: 'Open with a row of two colours.', component: 'skill/pegs' },
  { name: 'fresh', line: 'Never make the same guess twice.', component: 'skill/pegs' },
  { name: 'plain', line: 'Try one colour in all places first.', component: 'skill/pegs' },
  { name: 'calm', line: 'Stay calm.', component: 'instruction' },
  { name: 'polite', line: 'Be polite to everybody.', component: 'instruction' },
  { name: 'time', line: 'Take all the time you need.', component: 'instruction' },
  { name: 'expert', line: 'You are a world-class expert.', component: 'instruction' },
  { name: 'reward', line: 'You will be rewarded for good work.', component: 'instruction' },
  { name: 'careful', line: 'This matters a great deal to me.', component: 'instruction' },
  { name: 'count', line: 'Numbers are counted from one.', component: 'skill/numbers' },
  { name: 'even', line: 'Half of all numbers are even.', component: 'skill/numbers' },
  { name: 'recall', line: 'Remember what you have learned about numbers.', component: 'skill/numbers' },
  { name: 'colours', line: 'Colours may come more than once.', component: 'skill/pegs' },
  { name: 'places', line: 'Every place has one peg.', component: 'skill/pegs' },
  { name: 'look', line: 'Look closely at the pegs.', component: 'skill/pegs' },
] as const satisfies readonly DemoRule[];

export type RuleName = (typeof rules)[number]['name'];

/** The rules of an instruction, and its total number of lines. */
export function readRules(text: string): { readonly names: ReadonlySet<RuleName>; readonly lines: number } {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const names = new Set<RuleName>();
  for (const { name, line } of rules) if (lines.includes(line)) names.add(name);
  return { names, lines: lines.length };
}

export function lineOf(name: RuleName): string {
  return (rules.find((rule) => rule.name === name) as DemoRule).line;
}

/** The best rules: all that help and no others. The choice of the opening row has no measurable effect. */
export const bestRules: readonly RuleName[] = ['form', 'between', 'middle', 'agree'];
