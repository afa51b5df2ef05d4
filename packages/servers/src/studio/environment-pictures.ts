/** @file A preview picture for each built-in environment: the game after a few moves of its scripts, drawn once per server. */

import { standIn } from '@ludus-agents/agents/internal/kinds';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { environmentNames } from '@ludus-agents/environments/internal/built-in';
import type { Agent, Seat } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import type { Picture } from './api.ts';
import { Artist } from './event-stream.ts';
import { launchAgents } from './launch.ts';
import { isDrawn } from './pictures/index.ts';

/** Long enough that something has happened, short enough that the game is not over. */
const moves = 5;

export class EnvironmentPictures {
  readonly #place: WorkingFolder;
  #drawn: Promise<Readonly<Record<string, Picture>>> | null = null;

  constructor(place: WorkingFolder) {
    this.#place = place;
  }

  /** By environment name; text environments have none. */
  all(): Promise<Readonly<Record<string, Picture>>> {
    this.#drawn ??= this.#draw();
    return this.#drawn;
  }

  async #draw(): Promise<Readonly<Record<string, Picture>>> {
    const pictures: Record<string, Picture> = {};
    for (const name of environmentNames().filter(isDrawn)) {
      const picture = await this.#one(name).catch(() => null);
      if (picture !== null) pictures[name] = picture;
      // Yields to other requests.
      await new Promise(setImmediate);
    }
    return pictures;
  }

  async #one(name: string): Promise<Picture | null> {
    const environment = await resolveEnvironment(name, this.#place.cwd, Trust.request);
    const make = launchAgents(this.#place);
    const agents: Record<Seat, Agent> = {};
    for (const seat of environment.seats(environment.task({}))) agents[seat] = await make(standIn(environment, seat), seat, environment);
    const artist = new Artist(environment, null);
    let index = 0;
    let picture: Picture | null = null;
    for await (const event of play(environment, agents, { task: {}, seed: 3, limits: { turns: moves } })) {
      const next = artist.draw(event, index++);
      // At the end of a short game the winning line, otherwise the last turn.
      if (next !== null) picture = next;
    }
    return picture;
  }
}
