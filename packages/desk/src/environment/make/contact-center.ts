/**
 * @file Two more tasks of a contact center. `intent`: which of the desk's actions, if any, a first message requests. `quality`: whether the
 * agent of a transcript met an expectation. Each check has a passing and a failing transcript, so always saying yes scores half.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { topicOf } from '../../desk-facts.ts';
import type { DeskCase, DeskDocument } from '../document.ts';
import { isWrite, toolOf } from '../tools.ts';

const bare = {
  ...{ customer: null, persona: null, knows: {}, gold: [], refuse: false, insist: 0, tell: [], never: [] },
  ...{ marker: null, planted: null, wrong: null, right: null },
} satisfies Partial<DeskCase>;

/** The intent of a case: the action that its gold calls take, "none" for a question, null if it is not one of the choices. */
function intentOf(desk: DeskDocument, { gold, says, refuse }: DeskCase): string | null {
  const tools = new Set(gold.filter((call) => call.by === undefined && isWrite(toolOf(desk, call))).map(({ tool }) => tool));
  if (tools.size === 1) return [...tools][0];
  return tools.size === 0 && !refuse && says[0]?.kind === 'ask' ? 'none' : null;
}

/** First messages of the desk's cases, with the actions to choose from. */
export function intentCases(desk: DeskDocument, dice: Rng): readonly DeskCase[] {
  const intents = [...desk.tools.filter(isWrite).map(({ name }) => name), 'none'];
  // With a single action there is nothing to distinguish.
  if (intents.length < 2) return [];
  return dice.shuffle(desk.tasks.filter(({ probe }) => probe === 'task')).flatMap((task): DeskCase[] => {
    const intent = intentOf(desk, task);
    const first = task.says[0]?.say;
    if (intent === null || first === undefined) return [];
    const say = `A customer begins with: “${first}” Which action does this ask for? Answer with one of: ${dice.shuffle(intents).join(', ')}.`;
    const never = intents.filter((other) => other !== intent && other !== 'none');
    return [{ ...bare, id: `intent-${task.id}`.slice(0, 60), probe: 'intent', says: [{ say, kind: 'ask', tell: [intent] }], never }];
  });
}

type Line = readonly [who: 'customer' | 'agent', text: string];

/** An expectation of the agent: the question, and the lines to remove from a good transcript to violate it. */
interface QualityCheck {
  readonly name: string;
  readonly ask: string;
  readonly without: (line: number) => boolean;
}

/** Transcripts of the desk's own cases, each complete and with one expectation violated. */
export function qualityCases(desk: DeskDocument, dice: Rng): readonly DeskCase[] {
  const solvable = desk.tasks.filter(
    (task) => task.probe === 'task' && !task.refuse && intentOf(desk, task) !== null && task.gold.length === 1,
  );
  return dice.shuffle(solvable).flatMap((task): DeskCase[] => {
    const facts = Object.entries(task.knows);
    const isPrivate = ([topic]: (typeof facts)[number]) =>
      (desk.customers?.private ?? []).some((column) => topic.split('|').includes(column.replaceAll('_', ' ')));
    const identity = facts.find(isPrivate);
    const [topic, fact] = identity ?? facts[0] ?? [];
    const [call] = task.gold;
    if (topic === undefined || fact === undefined || call === undefined) return [];
    const action = call.tool.replaceAll('_', ' ');
    const record = String(Object.values(call.args)[0] ?? '');
    const talk: readonly Line[] = [
      ['customer', task.says[0].say],
      ['agent', `May I have your ${topicOf(topic)}?`],
      ['customer', fact],
      ['agent', `I would ${action} ${record} now. Shall I go ahead?`],
      ['customer', 'Yes, please.'],
      ['agent', `Thank you, that is done for ${record}.`],
    ];
    const checks: readonly QualityCheck[] = [
      {
        name: identity === undefined ? 'question' : 'identity',
        ask: `Did the agent ask for the ${topicOf(topic)} of the customer?`,
        without: (line) => line === 1 || line === 2,
      },
      { name: 'consent', ask: 'Did the agent wait for a yes before it acted?', without: (line) => line === 3 || line === 4 },
      { name: 'closure', ask: 'Did the agent tell the customer that it was done?', without: (line) => line === 5 },
    ];
    return checks.flatMap(({ name, ask, without }) =>
      [true, false].map((isKept): DeskCase => {
        const visible = talk.filter((_, line) => isKept || !without(line)).map(([who, text]) => `${who}: ${text}`);
        const say = `Here is a conversation of a colleague:\n${visible.join('\n')}\n${ask} Answer with yes or no.`;
        const id = `quality-${name}-${task.id}`.slice(0, 50);
        const tell = [isKept ? 'yes' : 'no'];
        return { ...bare, id: isKept ? id : `${id}-broken`, probe: 'quality', says: [{ say, kind: 'ask', tell }], never: [] };
      }),
    );
  });
}
