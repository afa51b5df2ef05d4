/** @file One row of an episode: a message, an answer, a private message, or a reward. */

import { imageUrl } from '@ludus-agents/kernel/internal/core/image';
import type { EpisodeEvent, ImagePart, Score, Seat } from '@ludus-agents/kernel/internal/core/index';
import { voiceIn } from '@ludus-agents/kernel/internal/core/voice';
import type { ActionShown, EpisodeShown } from '@ludus-agents/servers/internal/studio/api';
import { memo } from 'react';
import { count, formatSigned, money, toTitle } from '../format.ts';
import { AgentName, useAgentTitles } from '../parts/agent-name.tsx';
import { Avatar } from '../parts/avatar.tsx';
import { hueIn, isLeak, numberOf, quotesAt, type Row, scoresAt, seatName } from './fold.ts';
import { Spoken } from './text.tsx';

interface RowProps {
  readonly row: Row;
  readonly episode: EpisodeShown;
  readonly chosen?: boolean;
  /** Absent if details are not available. */
  readonly choose?: (event: number) => void;
  /** The seat of the one who looks: what it says is "You". */
  readonly you?: Seat | null;
}

export const EventRow = memo(function EventRow({ row, episode, chosen = false, choose, you = null }: RowProps) {
  const { event } = row.item;
  const number = numberOf(row);
  const scores = [...scoresAt(episode.scores, row.index), ...(row.answer === undefined ? [] : scoresAt(episode.scores, row.answer.index))];
  return (
    <article className={`event ${event.kind} ${chosen ? 'chosen' : ''}`} id={`event-${row.index}`}>
      <div className="body">
        <Body row={row} episode={episode} you={you} />
        <Badges answer={row.answer?.event ?? (event.kind === 'action' ? event : undefined)} scores={scores} />
      </div>
      {choose === undefined ? (
        <span className="muted small number">{number}</span>
      ) : (
        <button
          type="button"
          className="plain number"
          aria-pressed={chosen}
          aria-label={`Event ${number}: inspect`}
          onClick={() => choose(number)}
        >
          {number}
        </button>
      )}
    </article>
  );
});

function Body({ row, episode, you = null }: Pick<RowProps, 'row' | 'episode' | 'you'>) {
  const { event, index } = row.item;
  const quotes = quotesAt(episode.scores, index);
  switch (event.kind) {
    case 'start':
      return <Opening event={event} />;
    case 'message':
      return event.from === undefined ? (
        <Told event={event} seats={listenersOf(episode)} quotes={quotes} />
      ) : (
        <Bubble seat={event.from} episode={episode} you={you === event.from} aside={aside(event, listenersOf(episode))}>
          <Spoken text={event.text} quotes={quotes} />
          <Shown images={event.images} />
        </Bubble>
      );
    case 'action':
      return (
        <Bubble seat={event.seat} episode={episode} you={you === event.seat} aside="">
          <Move text={event.action.text} quotes={quotes} />
        </Bubble>
      );
    case 'reward':
      return <Paid rewards={event.rewards} penalties={event.penalties ?? {}} />;
    case 'end':
      return <Ending event={event} />;
    default:
      return null;
  }
}

function Opening({ event }: { readonly event: Extract<EpisodeEvent, { kind: 'start' }> }) {
  const title = useAgentTitles();
  return (
    <div className="told">
      <strong>{toTitle(event.environment)}</strong>
      {event.task === null ? null : <span className="muted"> · seed {event.seed}</span>}
      {event.fork === undefined ? null : <span className="muted"> · branched off before event {event.fork.at}</span>}
      <div className="small muted">{event.seats.map((seat) => `${seat}: ${title(event.cast[seat] ?? '')}`).join(' · ')}</div>
    </div>
  );
}

interface BubbleProps {
  readonly seat: Seat;
  readonly episode: EpisodeShown;
  readonly you: boolean;
  /** The recipients, unless it is all seats. */
  readonly aside: string;
  readonly children: React.ReactNode;
}

function Bubble({ seat, episode, you, aside: to, children }: BubbleProps) {
  const face = episode.faces[seat] ?? { name: seat, character: false, picture: undefined };
  return (
    <div className={`bubble ${to === '' ? '' : 'aside'} ${you ? 'you' : ''}`}>
      <Avatar name={seatName(episode, seat)} hue={hueIn(episode, seat)} picture={face.picture} />
      <div>
        <div className="who">
          <strong>{you ? 'You' : seat}</strong>{' '}
          <span className="muted small">{you ? seat : face.name === seat ? '' : <AgentName name={face.name} run={episode.run} />}</span>
          {to === '' ? null : <span className="badge">{to}</span>}
        </div>
        {children}
      </div>
    </div>
  );
}

/** An answer that is just a move reads as one; words read as words. */
function Move({ text, quotes }: { readonly text: string; readonly quotes: ReturnType<typeof quotesAt> }) {
  const bare = /^\[([^\]\n]{1,60})\]$/.exec(text.trim());
  return bare === null ? <Spoken text={text} quotes={quotes} /> : <span className="move">{bare[1]}</span>;
}

/** All seats that may not see a message, except an environment that relays messages and sees all. */
function listenersOf({ environment, seats }: Pick<EpisodeShown, 'environment' | 'seats'>): readonly Seat[] {
  return environment.startsWith('relay@') ? seats.filter((seat) => seat !== 'world') : seats;
}

function aside({ to, from }: Extract<EpisodeEvent, { kind: 'message' }>, seats: readonly Seat[]): string {
  return seats.every((seat) => to.includes(seat) || seat === from) ? '' : `to ${to.join(', ')}`;
}

/** Pictures that came with the words; the words say the same. */
function Shown({ images = [] }: { readonly images?: readonly ImagePart[] | undefined }) {
  return images.map((image) => (
    <img
      key={image.data}
      className="shown"
      src={imageUrl(image)}
      width={image.width}
      height={image.height}
      alt={image.alt === '' ? 'image without a description' : image.alt}
    />
  ));
}

interface ToldProps {
  readonly event: Extract<EpisodeEvent, { kind: 'message' }>;
  readonly seats: readonly Seat[];
  readonly quotes: ReturnType<typeof quotesAt>;
}

function Told({ event, seats, quotes }: ToldProps) {
  const to = event.to.length === 0 ? 'note for scorers' : aside(event, seats);
  return (
    <div className={`told ${to === '' ? '' : 'aside'}`}>
      {to === '' ? null : <span className="badge">{to}</span>}
      <Spoken text={event.text} quotes={quotes} />
      <Shown images={event.images} />
    </div>
  );
}

function Paid({
  rewards,
  penalties,
}: {
  readonly rewards: Readonly<Record<Seat, number>>;
  readonly penalties: Readonly<Record<Seat, number>>;
}) {
  return (
    <div className="paid row">
      {Object.entries(rewards).map(([seat, amount]) => (
        <span key={seat} className={`badge ${amount > 0 ? 'good' : amount < 0 ? 'bad' : ''}`}>
          {seat} {formatSigned(amount)}
        </span>
      ))}
      {Object.entries(penalties).flatMap(([seat, amount]) =>
        amount === 0
          ? []
          : [
              <span key={`${seat} penalty`} className="badge warn">
                {seat} penalty {formatSigned(amount)}
              </span>,
            ],
      )}
    </div>
  );
}

const reasons = {
  over: 'The episode is over',
  limit: 'Stopped by a limit',
  error: 'Stopped by an error',
  abort: 'Canceled',
} as const;

function Ending({ event }: { readonly event: Extract<EpisodeEvent, { kind: 'end' }> }) {
  return (
    <div className="told ending">
      <strong>{reasons[event.reason]}</strong> <span className="muted">after {count(event.turns, 'turn')}.</span>
      {event.fault === undefined ? null : <p className="text">{event.fault.message}</p>}
      {event.limit === undefined ? null : <p>The limit was on {event.limit}.</p>}
      <Paid rewards={event.returns} penalties={event.penalties} />
    </div>
  );
}

function Badges({ answer, scores }: { readonly answer: ActionShown | undefined; readonly scores: readonly Score[] }) {
  const calls = answer?.calls ?? [];
  const voice = voiceIn(answer?.action.data);
  if (calls.length === 0 && voice === null && scores.length === 0 && answer?.thinks !== true && answer?.edited !== true) return null;
  const tokens = calls.reduce((sum, { usage }) => sum + usage.promptTokens + usage.completionTokens, 0);
  const cost = calls.some((call) => call.cost === null) ? null : calls.reduce((sum, call) => sum + (call.cost ?? 0), 0);
  return (
    <div className="row badges">
      {answer?.edited === true ? <span className="badge warn">edited by you</span> : null}
      {voice === null ? null : (
        <span className="badge" title="how it is said">
          {voice.style} · {voice.emotion}
        </span>
      )}
      {answer?.thinks === true ? <span className="badge">thoughts</span> : null}
      {calls.length === 0 ? null : (
        <span className="badge">
          {tokens} tokens · {money(cost)}
        </span>
      )}
      {scores.map((score) => (
        <span key={`${score.name} ${score.seat ?? ''}`} className={`badge ${isLeak(score) ? 'bad' : ''}`}>
          {score.name} {score.value === null ? 'missing' : Number(score.value.toFixed(3))}
        </span>
      ))}
    </div>
  );
}
