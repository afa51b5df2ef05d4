/**
 * @file A long conversation over 120 tools in 12 recurring topics, with eight tools in view. The caller uses a tool if it is in view,
 * and otherwise looks it up. A script replaces the model. Options: state ("carried", or "fresh": every turn starts empty), stay
 * (probability that a request stays on its topic), requests, seed. Prints the share of completed requests, lookups per request, and
 * tools that were still in view when needed.
 */

import { type Tool, toolset } from '@ludus-agents/agents/internal/tools/tool';
import { openToolContext, type ToolState } from '@ludus-agents/agents/internal/tools/tool-context';
import { type Json, type Prompt, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { scripts } from './_stages.ts';

const topics = 'mail calendar travel weather music banking photos shopping fitness recipes news lights'.split(' ');
const verbs = 'list open create rename archive delete share export compare schedule'.split(' ');

export default async function run(
  { state = 'carried', stay = 0.8, requests = 100, seed = 1 }: ProgramOptions,
  stage = scripts,
): Promise<Json> {
  const caller = stage.writer(callBy);
  const random = rng(Number(seed), 'requests');
  const names = topics.flatMap((topic) => verbs.map((verb) => ({ topic, name: `${verb}_${topic}` })));
  const tools = toolset(
    names.map(
      ({ topic, name }): Tool => ({
        spec: { name, description: `${name.replace('_', ' ')} of the ${topic} service`, parameters: { type: 'object' } },
        call: async () => ({ ok: true, text: name }),
      }),
    ),
    ['*'],
  );
  const signal = new AbortController().signal;
  let before: ToolState | undefined;
  let topic = random.pick(topics);
  // A topic needs the same three tools again and again.
  const needed = new Map(topics.map((each) => [each, random.shuffle(verbs).slice(0, 3)]));
  let [done, lookups, remembered] = [0, 0, 0];
  for (let i = 0; i < Number(requests); i++) {
    if (random.next() >= Number(stay)) topic = random.pick(topics);
    const wanted = `${random.pick(needed.get(topic) ?? verbs)}_${topic}`;
    const context = await openToolContext(
      tools,
      'the next request',
      { mode: 'autonomous', cap: 8, digests: false, graph: undefined },
      { before: state === 'carried' ? before : undefined },
    );
    if (context.specs().some(({ name }) => name === wanted)) remembered++;
    for (let step = 0; step < 2; step++) {
      const list = context.specs().map(({ name, description }) => `${name}: ${description}`);
      const content = `Tools:\n${list.join('\n')}\n\nUser: Please ${wanted.replace('_', ' the ')}.`;
      const [name = '', query] = (await caller.complete({ messages: [{ role: 'user', content }] }, {}, signal)).text.split(': ');
      if (query !== undefined) lookups++;
      const { ok, result } = await context.use({ id: `call ${i} ${step}`, name, arguments: query === undefined ? {} : { query } }, signal);
      if (query !== undefined) continue;
      if (ok && result === wanted) done++;
      break;
    }
    before = context.state();
  }
  return { done: done / Number(requests), lookups: lookups / Number(requests), remembered };
}

/** Uses the wanted tool where it is in view, and looks it up where it is not. */
function callBy({ messages }: Prompt): string {
  const text = messages.map(({ content }) => String(content)).join('\n');
  const [, verb, topic] = /User: Please (\w+) the (\w+)\./.exec(text) ?? [];
  return text.includes(`${verb}_${topic}: `) ? `${verb}_${topic}` : `find_tools: ${verb} ${topic}`;
}
