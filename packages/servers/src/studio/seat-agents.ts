/** @file The players on the seats of this stage: people at the page, characters played from their cards, and all other kinds of agents. */

import { understand } from '@ludus-agents/agents/internal/human';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { gallery, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { createScriptedPersona } from '@ludus-agents/agents/internal/personas/scripted-persona';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import {
  type Agent,
  type AgentSpec,
  type AnyEnvironment,
  type Ask,
  type EpisodeEvent,
  Fault,
  type Json,
  type Reply,
  type Seat,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import { walletOf } from './budget.ts';
import { listOwnPersonas } from './own-files.ts';

/** The kind of a spec that plays a character without a model, with the lines on its card. */
export const standInKind = 'understudy';

export function isPerson(spec: AgentSpec | string): boolean {
  const kind = typeof spec === 'string' ? spec : spec.kind;
  return kind === 'human' || kind === 'me';
}

/**
 * Resolves a name of the page: "persona:beatrix" is the character with the lines on its card, "persona:beatrix llm:MODEL" the same by a
 * model; the user's personas come before the gallery. All other names are unchanged.
 */
export function specOf(spec: AgentSpec | string, cwd: string): AgentSpec | string {
  const match = typeof spec === 'string' ? /^persona:(\S+)(?: llm:(\S+))?$/.exec(spec) : null;
  if (match === null) return spec;
  const [, id, model] = match as unknown as readonly [string, string, string | undefined];
  const persona = listOwnPersonas(cwd).find(({ key }) => key === id)?.persona ?? (Object.hasOwn(gallery, id) ? gallery[id] : undefined);
  if (persona === undefined || persona === null)
    throw new Fault('input', `Unknown persona "${id.slice(0, 80)}".`, { code: 'E_UNKNOWN_NAME' });
  const common = { name: persona.name, persona: persona as Json };
  return model === undefined ? { ...common, kind: standInKind } : { ...common, kind: 'llm', model };
}

/** The seat of a player, and the budget for its model. */
export interface SeatContext {
  readonly seat: Seat;
  readonly environment: AnyEnvironment;
  readonly place: WorkingFolder;
}

export async function createSeatAgent(spec: AgentSpec | string, { seat, environment, place }: SeatContext): Promise<Agent> {
  const call = createAgentLoader({ ...createAgentServices(place.cwd, Trust.request), model: walletOf(place).modelOf });
  if (typeof spec === 'string' || spec.kind !== standInKind) return call(spec, seat, environment);
  const persona = parsePersona((spec.persona ?? null) as Json);
  if (environment.scripts?.['character'] === undefined || !environment.id.startsWith('social-scene'))
    throw new Fault('input', `${persona.name} can only be played without a model in a social scene. Choose a model or another agent.`);
  return createScriptedPersona(environment, persona, { group: true });
}

/** The page's name for a player: the input of `specOf`. */
export function wordFor(spec: AgentSpec | string): string {
  if (typeof spec === 'string') return spec;
  const { id } = (spec.persona ?? {}) as { readonly id?: Json };
  if (typeof id !== 'string') return spec.name;
  return spec.kind === 'llm' && typeof spec.model === 'string' ? `persona:${id} llm:${spec.model}` : `persona:${id}`;
}

/** Interprets typed text. If actions have a form such as [speak "…"], plain text is spoken. */
function answerIn(typed: string, ask: Ask): string {
  const parsedInput = understand(typed, ask);
  if (parsedInput.kind === 'move') return parsedInput.text;
  if (parsedInput.kind === 'unclear' && ask.choices?.some((choice) => choice.startsWith('[speak "')) === true) {
    const speech = typed
      .replace(/["“”„]/g, '’')
      .replace(/[[\]]/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    return `[speak "${speech}"]`;
  }
  throw new Fault('input', parsedInput.kind === 'unclear' ? parsedInput.why : 'Type your answer, or choose a move.');
}

/** The error for a late answer: from a second tab, or by a repeated click. */
const answered = 'This turn has already been answered. Look at the result.';

/** A person at the page: asked at each turn, without a time limit. */
export class Person implements Agent {
  readonly name = 'human';
  /** The latest stored turn event. */
  latest = -1;
  #asked: { readonly ask: Ask; readonly resolve: (reply: Reply) => void } | null = null;
  #answered = -1;
  #left = false;
  #next = Promise.withResolvers<void>();

  /** The turn that waits for an answer, or null. */
  get turn(): number | null {
    return this.#asked === null ? null : this.latest;
  }

  act({ ask }: Turn, signal: AbortSignal): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#asked = { ask, resolve };
      this.#wake();
      signal.addEventListener(
        'abort',
        () => {
          this.#asked = null;
          reject(new Fault('agent', 'The person closed the page.'));
        },
        { once: true },
      );
    });
  }

  /**
   * Accepts the answer to a stored turn. A page may read a turn from the store before the engine asks for it: then the answer waits for the
   * question. An answer to a past turn is rejected.
   */
  async answer(turn: number, typed: string): Promise<void> {
    while (turn > this.#answered && (this.#asked === null || this.latest < turn)) {
      if (this.#left) throw new Fault('input', 'This episode is no longer being played here. Reload the page.');
      await this.#next.promise;
    }
    const request = this.#asked;
    if (request === null || turn !== this.latest) throw new Fault('input', answered);
    const text = answerIn(typed, request.ask);
    this.#asked = null;
    this.#answered = turn;
    this.#wake();
    request.resolve({ action: { text } });
  }

  /** The episode is no longer played: answers that still wait for their question are rejected. */
  leave(): void {
    this.#left = true;
    this.#wake();
  }

  #wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}

/** The reason why a person can't answer event `turn` of a log read from that event on; null if they can. */
export function answerProblem(log: readonly EpisodeEvent[], seat: Seat, turn: number): string | null {
  const [first] = log;
  if (turn < 0 || first?.kind !== 'turn' || first.asks.every((ask) => ask.seat !== seat))
    return `Event ${turn} asks the seat "${seat}" nothing; load the page again.`;
  return log.some((event) => event.kind === 'action' && event.seat === seat) ? answered : null;
}
