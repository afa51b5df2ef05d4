/** @file Renders a scene as a screenplay: entrances, lines, actions, the narrator, and the goals reached. */

import type { CastScene } from '@ludus-agents/agents/internal/personas/index';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { type EndEvent, type EpisodeEvent, type JsonObject, type MessageEvent, printable } from '@ludus-agents/kernel/internal/core/index';
import { columnsOf, type Terminal } from '../terminal.ts';
import { type Colours, coloursFor } from './colours.ts';
import { pad, wrap } from './width.ts';

export interface Programme {
  readonly name: string;
  readonly personas: CastScene['personas'];
  /** The scene being played, for its setting. */
  readonly script: JsonObject;
}

/** Turns events into lines for a spectator; private messages of a seat are not shown. */
export function renderScreenplay({ name, personas, script }: Programme, terminal: Terminal): (event: EpisodeEvent) => string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = Math.min(92, columnsOf(terminal.stdout));
  const seats = Object.keys(personas);
  const margin = Math.max(...seats.map((seat) => seat.length)) + 2;
  let results: JsonObject = {};

  const block = (label: string, text: string, paint: (line: string) => string = (line) => line) =>
    wrap(printable(text), columns - margin)
      .map((line, i) => `${i === 0 ? label : ' '.repeat(margin)}${paint(line)}`.trimEnd())
      .join('\n');
  // Seats are lowercase; in the screenplay they are names.
  const seat = new RegExp(`\\b(?:${seats.map((seat) => seat.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})\\b`, 'g');
  const withCapitals = (text: string) => text.replace(seat, capital);
  const speakerLabel = (item: string) => colours.bold(colours.seat(pad(capital(item), margin), seats.indexOf(item)));

  function speechText({ from, text, data, to }: MessageEvent): string {
    const facts = (data ?? {}) as JsonObject;
    if (to.length === 0) {
      if (facts['results'] !== undefined) results = facts['results'] as JsonObject;
      return facts['leak'] === undefined ? '' : `${block(' '.repeat(margin), `${capital(text)}.`, colours.red)}\n`;
    }
    const [question = ''] = to;
    if (typeof facts['refused'] === 'string')
      return `${block(speakerLabel(question), `Not understood: ${JSON.stringify(facts['refused'])}. ${text}`, colours.yellow)}\n`;
    if (from !== undefined && seats.includes(from)) {
      const whisper = typeof facts['to'] === 'string' && facts['kind'] === 'speak' ? `(to ${capital(facts['to'])}) ` : '';
      return `${block(speakerLabel(from), whisper + withCapitals(text))}\n`;
    }
    const isRedundant = from !== undefined || to.filter((item) => seats.includes(item)).length < 2;
    if (isRedundant || /^\d+ minutes pass\.$/.test(text) || /^\w+ whispers to \w+\.$/.test(text)) return '';
    return `${block(' '.repeat(margin), withCapitals(text), colours.faint)}\n`;
  }

  return (event) => {
    if (event.kind === 'start') {
      const cast = seats.map(
        (otherSeat, i) => `${colours.seat(pad(capital(otherSeat), margin), i)}${colours.faint(printable(who(personas, otherSeat)))}`,
      );
      return `${colours.bold(printable(capital(name)))}\n${wrap(printable(String(script['setting'])), columns).join('\n')}\n\n${cast.join('\n')}\n\n`;
    }
    if (event.kind === 'message') return speechText(event);
    return event.kind === 'end' ? `\n${wrap(curtain(event, results, colours), columns).join('\n')}\n` : '';
  };
}

function who(personas: CastScene['personas'], seat: string): string {
  const persona = personas[seat];
  const title = persona?.identity.social.occupation?.title;
  return [persona?.name, title].filter((part) => part !== undefined).join(', ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The outcome, and each character's share of the goal. */
function curtain(end: EndEvent, results: JsonObject, colours: Colours): string {
  const fault = end.fault === undefined ? '' : colours.red(printable(`${end.fault.seat ?? end.fault.boundary}: ${end.fault.message}`));
  if (end.reason === 'error') return fault;
  const parts = Object.entries(results).map(([seat, result], i) => {
    const { goal, leaked } = result as { goal: number; leaked: boolean };
    const share = goal === 1 ? colours.green('reached it all') : goal === 0 ? 'reached nothing' : `reached ${Math.round(goal * 100)}%`;
    return `${colours.seat(capital(seat), i)} ${share}${leaked ? colours.red(' and gave the secret away') : ''}`;
  });
  const how =
    end.reason === 'over' ? '' : `${colours.yellow(end.reason === 'limit' ? `Stopped at its limit of ${end.limit}` : 'Called off')} `;
  return `${how}After ${count(end.turns, 'turn')}: ${parts.length === 0 ? 'no goals to reach' : parts.join(', ')}.`;
}
