/**
 * @file An experimenter (Game On, arXiv 2409.03402): reads the curve of a training, decides whether to continue, to keep the skill or to
 * return to its best point, and chooses the next skill. It plays a seat like any agent; the script `rule` needs no model.
 */

import type { Environment, Json, Policy, Script, Seed, Turn } from '@ludus-agents/kernel/internal/core/index';
import { parameter, readTask, rng } from '@ludus-agents/kernel/internal/core/index';

const verdicts = ['go on', 'keep', 'roll back'] as const;
export type Verdict = (typeof verdicts)[number];

const seat = 'experimenter';
const parameters = {
  question: parameter.string({ default: 'Returns so far: 0.', description: 'what the experimenter is asked' }),
} as const;

/** Classifies the last curve: collapsed below six tenths of its best, flat over the last three reviews, or neither. */
const rule: Script = ({ view, ask }) => {
  const choices = ask.choices ?? [];
  if (!choices.includes('keep')) return { text: choices[0] ?? '' };
  const messageEvent = view.seen.findLast((item) => item.kind === 'message');
  const [, list = ''] = /Returns so far: ([-\d., ]+)\./.exec(messageEvent?.kind === 'message' ? messageEvent.text : '') ?? [];
  const curve = list.split(', ').map(Number);
  const [best, last] = [Math.max(...curve), curve[curve.length - 1]];
  const recent = curve.slice(-3);
  if (curve.length >= 3 && best > 0.1 && last < 0.6 * best) return { text: 'roll back' };
  const isFlat = curve.length >= 3 && Math.max(...recent) - Math.min(...recent) < 0.06;
  // A return that remains close to 0 is not a skill.
  return { text: isFlat && last > 0.1 ? 'keep' : 'go on' };
};

/** The environment of an experimenter: it answers one question; the training acts on the answer. */
export const laboratory: Environment<{ readonly over: boolean }, { readonly question: string }> = {
  id: 'laboratory@1',
  about: { summary: 'An experimenter reads the figures of a training and decides what is done next.', tasks: [{}], turns: 1 },
  parameters,
  task: (input) => readTask('laboratory', parameters, input),
  seats: () => [seat],
  start: ({ question }) => ({ state: { over: false }, messages: [{ to: [seat], text: question }], asks: [{ seat, choices: verdicts }] }),
  step: () => ({ state: { over: true }, messages: [], asks: [] }),
  scripts: { rule },
};

/** An experimenter's choice; the first one if its answer is not among the choices. */
async function askOne(policy: Policy, text: string, choices: readonly string[], seed: Seed): Promise<string> {
  const turn: Turn = {
    view: { seat, seen: [{ kind: 'message', to: [seat], text: `${text} Answer with one of: ${choices.join(', ')}.` }] },
    ask: { seat, choices },
    rng: rng(seed, 'experimenter', text),
  };
  const spokenText = (await policy.act([turn]))[0].action.text.trim().toLowerCase();
  return (
    choices.find((choice) => spokenText === choice.toLowerCase()) ??
    choices.find((choice) => spokenText.includes(choice.toLowerCase())) ??
    choices[0]
  );
}

/** Asks whether to continue with a skill, given its returns so far. */
export function askVerdict(policy: Policy, skill: string, curve: readonly number[], seed: Seed): Promise<Verdict> {
  const list = curve.map((value) => value.toFixed(3)).join(', ');
  const text = `The skill "${skill}" is trained. Returns so far: ${list}. Go on while it rises, keep it once it stays where it is, roll back if it has collapsed.`;
  return askOne(policy, text, verdicts, seed) as Promise<Verdict>;
}

/** Asks which skill to train next, given the results of earlier ones. */
export function askSkill(policy: Policy, open: readonly string[], log: readonly Json[], seed: Seed): Promise<string> {
  const past =
    log.length === 0 ? 'Nothing was trained yet.' : `What became of skills so far: ${log.map((item) => JSON.stringify(item)).join(', ')}.`;
  return askOne(policy, `${past} Which skill is trained next?`, open, seed);
}
