/**
 * @file A log in the JSON format of Inspect (version 2): one sample for each seat of each episode.
 *
 * Readers that need only the header stop at the first sample, so results come before the samples: the episodes are read twice.
 */

import type { ChatMessage, Json, JsonObject, ModelCall, Seat } from '@ludus-agents/kernel/internal/core/index';
import { argumentsOf, originOf } from './format.ts';
import { type ExportEpisode, scoresOf } from './plays.ts';
import { callsIn, chatsOf, openingOf } from './words.ts';

export interface InspectOptions {
  /** The name and time of the log. */
  readonly name: string;
  readonly at: string;
  readonly version: string;
}

/** The text of the file, piece by piece. `plays` returns the episodes again each time it is called. */
export async function* inspectLog(
  plays: () => AsyncIterable<ExportEpisode>,
  options: InspectOptions,
): AsyncGenerator<string, void, undefined> {
  const summary = await summarise(plays());
  const { name, at, version } = options;
  const header = {
    version: 2,
    status: 'success',
    eval: {
      eval_id: name,
      run_id: name,
      created: at,
      task: [...summary.environments].join(', ') || 'none',
      task_id: name,
      dataset: { name, samples: summary.samples, shuffled: false },
      model: [...summary.models].join(', ') || 'none',
      config: {},
      packages: { ludus: version },
      metadata: { worlds: [...summary.environments], agents: [...summary.agents] },
    },
    plan: { name: 'play', steps: [], config: {} },
    results: { total_samples: summary.samples, completed_samples: summary.samples, scores: summary.scores() },
    stats: { started_at: at, completed_at: at, model_usage: Object.fromEntries(summary.usage) },
  };
  yield `${JSON.stringify(header).slice(0, -1)},"samples":[`;
  let first = true;
  for await (const play of plays())
    for (const seat of play.seats)
      for (const sample of samplesOf(play, seat)) {
        yield `${first ? '' : ','}\n${JSON.stringify(sample)}`;
        first = false;
      }
  yield '\n]}\n';
}

/** The summary of all samples for the header. */
class Summary {
  readonly environments = new Set<string>();
  readonly agents = new Set<string>();
  readonly models = new Set<string>();
  readonly usage = new Map<string, JsonObject>();
  samples = 0;
  readonly #sums = new Map<string, { sum: number; scored: number }>();

  take(play: ExportEpisode, seat: Seat): void {
    this.samples += samplesOf(play, seat).length;
    this.environments.add(play.record.environment);
    this.agents.add(play.start.cast[seat] ?? '');
    const calls = callsIn(play.events, seat);
    for (const { model } of calls) this.models.add(model);
    for (const [model, usage] of Object.entries(usageOf(calls))) this.usage.set(model, addUsage(this.usage.get(model), usage));
    for (const [name, value] of Object.entries(allScores(play, seat))) {
      const existing = this.#sums.get(name) ?? { sum: 0, scored: 0 };
      if (value !== null) this.#sums.set(name, { sum: existing.sum + value, scored: existing.scored + 1 });
    }
  }

  scores(): readonly JsonObject[] {
    return [...this.#sums].map(([name, { sum, scored }]) => ({
      name,
      scorer: name,
      scored_samples: scored,
      unscored_samples: this.samples - scored,
      metrics: { mean: { name: 'mean', value: sum / scored } },
    }));
  }
}

async function summarise(plays: AsyncIterable<ExportEpisode>): Promise<Summary> {
  const summary = new Summary();
  for await (const play of plays) for (const seat of play.seats) summary.take(play, seat);
  return summary;
}

/** The environment's rewards are included as a score. */
function allScores(play: ExportEpisode, seat: Seat): Readonly<Record<string, number | null>> {
  return { return: play.end?.returns[seat] ?? null, ...scoresOf(play, seat) };
}

function samplesOf(play: ExportEpisode, seat: Seat): readonly JsonObject[] {
  const chats = chatsOf({ events: play.events, wording: play.wording }, seat);
  const calls = callsIn(play.events, seat);
  // A seat whose prompts were rebuilt each time is shown as it observed the episode, so that a sample is always one conversation.
  const chat = chats.length === 1 ? chats[0] : chatsOf({ events: play.events, wording: 'view' }, seat)[0];
  if (chat === undefined) return [];
  const answer = chat.messages[chat.mask.lastIndexOf(1)]!;
  const model = calls[0]?.model ?? play.start.cast[seat] ?? '';
  const scores = Object.entries(allScores(play, seat)).flatMap(([name, value]) => (value === null ? [] : [[name, { value }] as const]));
  const judged = Object.fromEntries(play.scores.flatMap(({ name, provenance }) => (provenance === undefined ? [] : [[name, provenance]])));
  return [
    {
      id: `${play.record.id}/${seat}`,
      epoch: 1,
      input: openingOf(chat).map(messageOf),
      target: '',
      messages: chat.messages.map((message, i) => ({ ...messageOf(message), source: chat.mask[i] === 1 ? 'generate' : 'input' })),
      output: {
        model,
        choices: [{ message: { ...messageOf(answer), source: 'generate' }, stop_reason: stopOf(calls.at(-1)) }],
      },
      scores: Object.fromEntries(scores),
      metadata: { ...originOf(play, seat), status: play.record.status, task_input: play.start.task, provenance: judged },
      model_usage: usageOf(calls),
    },
  ];
}

const stops = { stop: 'stop', length: 'max_tokens', tool: 'tool_calls', refused: 'content_filter' } as const;

function stopOf(call: ModelCall | undefined): string {
  return call === undefined ? 'stop' : stops[call.finish];
}

function messageOf({ role, content, name, toolCalls, toolCallId }: ChatMessage): JsonObject {
  const calls = (toolCalls ?? []).map((call) => ({ id: call.id, function: call.name, arguments: argumentsOf(call), type: 'function' }));
  return {
    role,
    content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(role === 'tool' && name !== undefined ? { function: name } : {}),
  };
}

function usageOf(calls: readonly ModelCall[]): Readonly<Record<string, JsonObject>> {
  const out: Record<string, JsonObject> = {};
  for (const { model, usage } of calls) {
    const { promptTokens: input, completionTokens: output } = usage;
    out[model] = addUsage(out[model], { input_tokens: input, output_tokens: output, total_tokens: input + output });
  }
  return out;
}

function addUsage(a: JsonObject | undefined, b: JsonObject): JsonObject {
  if (a === undefined) return b;
  return Object.fromEntries(Object.entries(b).map(([name, value]): [string, Json] => [name, (a[name] as number) + (value as number)]));
}
