/** @file The result of an episode in a suite: the deciding scorer's value on the scene's scale from 0 to 1, and whether it passed. */

import { type EpisodeRecord, equal, hash, type Json, type Score, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { isBuiltInAgent, type Suite, type SuiteScene } from '../suites/suite.ts';
import { latest, resultName, testedSeats } from './row.ts';

/** The results of the tested seats. A missing value stays missing, with the reason that the scorer gave. */
export function resultsOf(
  suite: Suite,
  scene: SuiteScene,
  {
    record,
    scores,
    rule = sceneHash(scene),
  }: { record: Pick<EpisodeRecord, 'environment' | 'cast'>; scores: readonly Score[]; rule?: string },
): Score[] {
  return testedSeats(record).map((seat) => resultOf(suite, scene, { seat, given: latest(scores, scene.score, seat), rule }));
}

function resultOf(suite: Suite, scene: SuiteScene, { seat, given, rule }: { seat: Seat; given: Score | null; rule: string }): Score {
  const [low, high] = scene.scale;
  const raw = given?.value ?? null;
  // A result is good if it is high, regardless of its scorer's direction.
  const scaleValue = (value: number) => (given?.lowerIsBetter === true ? high - value : value - low) / (high - low);
  return {
    name: resultName,
    value: raw === null ? null : scaleValue(raw),
    status: given?.status ?? 'not-applicable',
    ...(given?.reason === undefined ? {} : { reason: given.reason }),
    seat,
    scale: [0, 1],
    parts: { raw, passed: raw === null ? null : passes(scene, raw, given?.lowerIsBetter === true) ? 1 : 0 },
    evidence: given?.evidence ?? [],
    ...(given?.floor === undefined ? {} : { floor: scaleValue(given.floor) }),
    cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 },
    provenance: { ...given?.provenance, suite: `${suite.name}@${suite.version}`, scene: scene.name, rule },
  };
}

function passes({ pass }: SuiteScene, raw: number, lowerIsBetter: boolean): boolean {
  return lowerIsBetter ? raw <= pass : raw >= pass;
}

const hashes = new WeakMap<SuiteScene, string>();

/** The properties that must be equal for two comparable results of a scene. */
export function sceneHash(scene: SuiteScene): string {
  let knownHash = hashes.get(scene);
  if (knownHash === undefined) {
    const { score, scale, pass, personas, reference } = scene;
    knownHash = hash({ score, scale, pass, personas, reference }).slice(0, 12);
    hashes.set(scene, knownHash);
  }
  return knownHash;
}

/** A scene with its tasks as its environment reads them, so that a stored episode can be matched to it. */
export interface ReadScene {
  readonly scene: SuiteScene;
  /** The id of the environment. */
  readonly environment: string;
  readonly tasks: readonly Json[];
}

/** The scene that an episode was played for, or null. */
export function sceneOf(scenes: readonly ReadScene[], { environment, task, cast }: EpisodeRecord): SuiteScene | null {
  const tested = Object.keys(cast).filter((seat) => !isBuiltInAgent(cast[seat]));
  const fits = ({ scene, environment: played, tasks }: ReadScene): boolean => {
    const place = scene.seats.some((seat) => equal(typeof seat === 'string' ? [seat] : seat, tested));
    const others = Object.entries(cast).filter(([, agent]) => isBuiltInAgent(agent));
    const seated = others.every(([seat, agent]) => agent === `house:${scene.others[seat] ?? scene.others['*']}`);
    return played === environment && place && seated && tasks.some((otherTask) => equal(otherTask, task));
  };
  return scenes.find(fits)?.scene ?? null;
}
