/**
 * @file Replays imported conversations of a running bot as cases: the customer sends the same messages in the same order. A trace lacks
 * the right answers, so fault detectors judge such a case until its required facts and actions are added.
 */

import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { redactTranscript } from '@ludus-agents/evaluation/internal/conversations/redact';
import { usualScorers } from '@ludus-agents/evaluation/internal/scoring/index';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import type { EpisodeEvent, JsonObject, Score, Store } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { clusterTexts, type TextCluster } from './clusters.ts';
import { deskScene } from './desks.ts';
import type { DeskCase } from './environment/document.ts';
import { deskCaseShape, deskShape } from './environment/document.ts';

export interface ImportedTasks {
  readonly suite: SuiteInput | null;
  readonly tasks: number;
  /** Conversations of one kind, by their words: each kind is a scene of the suite. */
  readonly clusters: readonly { readonly name: string; readonly tasks: number }[];
  /** Redacted values. */
  readonly redacted: number;
  /** Conversations without any sign of success or failure. */
  readonly unjudged: number;
}

/** Did it fail? Null if unknown: no verdict, reward, or error. Rules for all kinds of episodes, such as the return, are no verdict. */
function hasFailed(scores: readonly Score[], end: Extract<EpisodeEvent, { kind: 'end' }> | undefined): boolean | null {
  const verdicts = scores.flatMap(({ name, value, scale, parts }) => {
    if (value === null || usualScorers.includes(name.split('/', 1)[0])) return [];
    if (name.startsWith('fault-')) return [value === 1];
    const [low, high] = scale ?? [0, 1];
    return [parts?.['passed'] === 0 || value <= (low + high) / 2 - (high - low) * 1e-9 || value <= low];
  });
  const rewards = Object.values(end?.returns ?? {}).filter((value) => value !== 0);
  if (end?.reason === 'error') return true;
  if (verdicts.length > 0) return verdicts.some(Boolean);
  return rewards.length > 0 ? rewards.some((value) => value < 0) : null;
}

export async function tasksFromImported(
  store: Store,
  { run, failed, redact }: { readonly run: string; readonly failed: boolean; readonly redact: readonly string[] },
): Promise<ImportedTasks> {
  const cases = new Map<string, { readonly case: DeskCase; readonly policy: string }>();
  let [redacted, unjudged] = [0, 0];
  for await (const { id } of recordsOf(store, { run })) {
    const events = await store.events(id);
    const last = events.at(-1);
    const verdict = hasFailed(await store.scores(id), last?.kind === 'end' ? last : undefined);
    if (verdict === null) unjudged++;
    if (failed && verdict !== true) continue;
    const statements = events.flatMap((event) =>
      event.kind === 'action' && event.seat === 'user' && event.action.text.trim() !== '' ? [event.action.text] : [],
    );
    const policy = events.find((event) => event.kind === 'message' && isObject(event.data) && event.data['role'] === 'system');
    if (statements.length === 0) continue;
    const lines = [policy?.kind === 'message' ? policy.text : '', ...statements].map((text) => ({
      kind: 'said' as const,
      seat: 'user',
      to: [],
      text,
    }));
    const clean = redactTranscript({ seats: ['user'], cast: {}, task: {}, trial: 0, lines }, redact);
    redacted += clean.replaced;
    const [rules = '', ...words] = clean.transcript.lines.map(({ text }) => text);
    const key = words.join('\n');
    if (cases.has(key)) continue;
    const input: JsonObject = { id: `imported-${cases.size + 1}`, probe: 'imported', says: words.map((ask) => ({ ask })) };
    cases.set(key, { case: readAs(deskCaseShape, input, { where: `Episode ${id}`, called: 'a case' }), policy: rules });
  }
  if (cases.size === 0) return { suite: null, tasks: 0, clusters: [], redacted, unjudged };
  const all = [...cases.values()];
  const encoder = await installedEncoder();
  const clusters = await clusterTexts([...cases.keys()], encoder);
  const name = ({ name: words }: TextCluster, i: number) => (clusters.length === 1 ? 'imported' : `imported ${i + 1}: ${words}`);
  const scenes = clusters.map((cluster, i) =>
    deskScene(
      name(cluster, i),
      cluster.members.map((at) => {
        const { case: deskCase, policy } = all[at];
        const desk = { name: 'imported', policy: policy.trim() || 'Not known.' };
        return { case: deskCase, desk: readAs(deskShape, desk, { where: 'The desk', called: 'a desk' }) };
      }),
    ),
  );
  return {
    suite: {
      name: `${run.replace(/[^\w.-]/g, '-').slice(0, 50)}-${failed ? 'failed' : 'tasks'}`,
      about: `Conversations of ${run}, played again, in groups by ${encoder?.name ?? 'shared words'}. Fault detectors judge them. Add "tell", "never", or "refuse" to a case to define the correct behavior.`,
      nulls: ['scripted:do-nothing', 'scripted:always-refuse'],
      seeds: 1,
      scenes,
    },
    tasks: cases.size,
    clusters: clusters.map((cluster, i) => ({ name: name(cluster, i), tasks: cluster.members.length })),
    redacted,
    unjudged,
  };
}
