/** @file Chat: conversations with characters, kept and searched, spoken word by word, with every other way they could have gone. */

import type { ChatGroup, ChatLine, ChatPick, ChatShown } from '@ludus-agents/servers/internal/studio/api';
import { useCallback, useEffect, useState } from 'react';
import { Greetings } from '../chat/greeting.tsx';
import { Lines } from '../chat/lines.tsx';
import { Lore } from '../chat/lore.tsx';
import { Remembered } from '../chat/remembered.tsx';
import { Say } from '../chat/say.tsx';
import { NoModel, Settings } from '../chat/settings.tsx';
import { type Talking, useTalking } from '../chat/talking.ts';
import { address, post, put, useAction, useApi } from '../client.ts';
import { count, modelTitle } from '../format.ts';
import { useKept } from '../kept.ts';
import type { PageProps } from '../pages.ts';
import { Avatar } from '../parts/avatar.tsx';
import { SelectField } from '../parts/form.tsx';
import { ModelField } from '../parts/model.tsx';
import { Portrait } from '../parts/portrait.tsx';
import { Problem, When } from '../parts/states.tsx';
import { go, link } from '../router.ts';
import { useTitle } from '../title.ts';
import '../house.css';
import '../chat/chat.css';

export function ChatPage({ params, query }: PageProps) {
  const { id } = params;
  // What is said moves a conversation to the top of the list.
  const [round, setRound] = useState(0);
  const touched = useCallback(() => setRound((before) => before + 1), []);
  return (
    <div className="page house chat">
      <header>
        <h1>Chat</h1>
      </header>
      <div className="chat-grid">
        {id === undefined ? <Welcome asked={query.get('with') ?? ''} /> : <Held key={id} id={id} touched={touched} />}
        <Shelf id={id} round={round} />
      </div>
    </div>
  );
}

/** The first beside seven others. */
const mostInGroup = 8;

const greeters: readonly (readonly [ChatGroup['greets'], string])[] = [
  ['first', 'The first character'],
  ['everybody', 'Everyone'],
  ['nobody', 'No one: you start'],
];
const orders: readonly (readonly [ChatGroup['order'], string])[] = [
  ['named', 'Characters you name, otherwise everyone'],
  ['reply', 'Characters you name, otherwise the last one who spoke'],
  ['one', 'Characters you name, otherwise one at a time'],
  ['talkative', 'By the talkativeness on each card'],
  ['director', 'Chosen by the model (needs a model)'],
  ['everybody', 'Everyone, with a rotating order'],
  ['listed', 'Everyone, in the order you chose'],
];

/** All characters available for chat, one at a time or in a group. */
function Welcome({ asked }: { readonly asked: string }) {
  const { loaded, reload } = useApi('/api/personas', {});
  const [model, setModel] = useKept('chat model', '');
  const { busy, error, run } = useAction();
  const [group, setGroup] = useState<readonly ChatPick[] | null>(null);
  const [groupSettings, setGroupSettings] = useState<ChatGroup>({ greets: 'first', order: 'named' });
  const begin = ([first, ...others]: readonly ChatPick[]) =>
    run(async () => {
      if (first === undefined) return;
      const chat = await post('/api/chats', {
        json: { ...first, others, ...(others.length === 0 ? {} : { group: groupSettings }), ...(model === '' ? {} : { model }) },
      });
      go(link('chat', chat.id));
    });
  /** Which one it was that was chosen, from 1 on; 0 for who was not. */
  const placeOf = ({ source, key }: ChatPick) => (group ?? []).findIndex((member) => member.source === source && member.key === key) + 1;
  const isIn = (pick: ChatPick) => placeOf(pick) > 0;
  const press = (pick: ChatPick) => {
    if (group === null) begin([pick]);
    else if (isIn(pick)) setGroup(group.filter((member) => member.source !== pick.source || member.key !== pick.key));
    else if (group.length < mostInGroup) setGroup([...group, pick]);
  };
  return (
    <section className="card" aria-label="New conversation">
      <h2>Choose a character</h2>
      <ModelField label="Model" none="Scripted replies (no model)" value={model} change={(name) => setModel(name === '' ? null : name)} />
      <div className="row">
        <label className="row small">
          <input type="checkbox" checked={group !== null} onChange={(event) => setGroup(event.target.checked ? [] : null)} />
          <span>Group chat</span>
        </label>
        {group === null ? null : (
          <button type="button" className="primary" disabled={busy || group.length < 2} onClick={() => begin(group)}>
            {group.length < 2 ? 'Choose two or more' : `Start with ${group.length}`}
          </button>
        )}
      </div>
      {group === null ? null : (
        <div className="fields">
          <SelectField
            label="Who greets"
            value={groupSettings.greets}
            of={greeters}
            change={(greets) => setGroupSettings({ ...groupSettings, greets })}
          />
          <SelectField
            label="Who answers"
            value={groupSettings.order}
            of={orders}
            change={(order) => setGroupSettings({ ...groupSettings, order })}
          />
        </div>
      )}
      <Problem error={error} />
      <When loaded={loaded} what="characters" retry={reload}>
        {(cards) => (
          <ul className="cards people">
            {cards
              .filter(({ problem, source, key }) => problem === null && (asked === '' || asked === `${source}/${key}`))
              .map((card) => (
                <li key={`${card.source} ${card.key}`}>
                  <button
                    type="button"
                    disabled={busy}
                    {...(group === null ? {} : { 'aria-pressed': isIn(card) })}
                    onClick={() => press({ source: card.source, key: card.key })}
                  >
                    <Portrait of={card} />
                    <span className="who">
                      <strong className="clip">
                        {card.name}
                        {isIn(card) ? <span className="badge">{placeOf(card)}</span> : null}
                      </strong>
                      <span className="muted small clip">{card.line}</span>
                    </span>
                  </button>
                </li>
              ))}
          </ul>
        )}
      </When>
    </section>
  );
}

function Held({ id, touched }: { readonly id: string; readonly touched: () => void }) {
  const { loaded, reload } = useApi('/api/chats/:id', { param: { id } });
  // An answer that another client waits for is read when it is complete.
  const answering = loaded.state === 'ready' && loaded.data.answering;
  useEffect(() => {
    if (!answering) return;
    const timer = setInterval(reload, 1000);
    return () => clearInterval(timer);
  }, [answering, reload]);
  return (
    <When loaded={loaded} what="conversation" retry={reload}>
      {(chat) => <Conversation key={chat.answering ? 'answering' : 'still'} first={chat} now={chat} touched={touched} />}
    </When>
  );
}

interface ConversationProps {
  readonly first: ChatShown;
  /** The server's current state, if another client waits for the answer. */
  readonly now: ChatShown;
  readonly touched: () => void;
}

function Conversation({ first, now, touched }: ConversationProps) {
  const [chat, setChat] = useState(first);
  useTitle(`${chat.name} – chat`);
  const went = useCallback(
    (next: ChatShown, before: ChatShown) => {
      touched();
      if (next.id === before.id) setChat(next);
      else go(link('chat', next.id));
    },
    [touched],
  );
  const talking = useTalking(chat, went, first.answering ? now.writing : null);
  const greet = async (greeting: number) => {
    const begun = await post('/api/chats', { json: { like: chat.id, greeting } });
    await show([chat.id], false);
    go(link('chat', begun.id));
  };
  return (
    <>
      <section className="card talk whole" aria-label={`Conversation with ${chat.name}`}>
        <header className="row">
          <Name chat={chat} talking={talking} />
          {chat.fork === null ? null : (
            <a className="badge" href={link('branches', chat.fork.episode, chat.id)}>
              Compare versions
            </a>
          )}
        </header>
        {chat.model === null ? <NoModel name={chat.name} /> : null}
        <Greetings chat={chat} choose={(greeting) => void greet(greeting)} />
        <Lines chat={chat} talking={talking} open={(other) => go(link('chat', other))} />
        <Problem error={talking.error ?? (talking.now === null ? (chat.failed?.error ?? null) : null)} />
        <Say
          name={chat.id}
          talking={talking}
          over={chat.over}
          left={chat.left}
          failed={chat.failed?.text ?? null}
          hasModel={chat.model !== null}
        />
      </section>
      <div className="sides">
        <Settings key={JSON.stringify([chat.model, chat.settings])} chat={chat} talking={talking} />
        <Remembered chat={chat} talking={talking} />
        {chat.model === null ? null : <Lore chat={chat} talking={talking} />}
      </div>
    </>
  );
}

/** The name of a conversation, which can be changed in place. */
function Name({ chat: { title, name }, talking }: { readonly chat: ChatShown; readonly talking: Talking }) {
  const [isEditing, setEditing] = useState(false);
  const [typed, setTyped] = useState(title);
  // An answer that arrives meanwhile may bring another name, and does not take away what is being typed.
  const edit = () => {
    setTyped(title);
    setEditing(true);
  };
  if (!isEditing)
    return (
      <>
        <h2 className="grow text">
          {title}
          {title === name ? null : <span className="muted small"> with {name}</span>}
        </h2>
        <button type="button" className="plain deed" aria-label="Rename chat" title="Rename chat" onClick={edit}>
          ✎
        </button>
      </>
    );
  return (
    <form
      className="row grow"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== '') talking.change({ title: typed.trim() });
        setEditing(false);
      }}
    >
      <label className="grow">
        <span className="hidden">Name of this chat</span>
        <input
          // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed.
          autoFocus
          value={typed}
          maxLength={120}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && setEditing(false)}
        />
      </label>
      <button type="submit" className="primary">
        Rename
      </button>
    </form>
  );
}

/** What was deleted last, which another conversation that is opened does not forget. */
let lastDeleted: ChatLine | null = null;

/** Stored conversations, with a search by text. */
function Shelf({ id, round }: { readonly id: string | undefined; readonly round: number }) {
  const [search, setSearch] = useState('');
  const { loaded, reload } = useApi('/api/chats', { query: { search } });
  const [deleted, setShown] = useState<ChatLine | null>(lastDeleted);
  const setDeleted = (line: ChatLine | null) => {
    lastDeleted = line;
    setShown(line);
  };
  useEffect(() => {
    if (round > 0) reload();
  }, [round, reload]);
  const restore = async () => {
    if (deleted === null) return;
    await show(deleted.family, true);
    setDeleted(null);
    reload();
  };
  const forget = async (line: ChatLine) => {
    await show(line.family, false);
    setDeleted(line);
    reload();
    if (id !== undefined && line.family.includes(id)) go('#/chat');
  };
  return (
    <nav className="card shelf" aria-label="Conversations">
      <div className="row">
        <h2 className="grow">Conversations</h2>
        <a className="button small" href="#/chat">
          New
        </a>
      </div>
      <label>
        <span className="hidden">Search messages</span>
        <input type="search" value={search} placeholder="Search messages" onChange={(event) => setSearch(event.target.value)} />
      </label>
      {deleted === null ? null : (
        <p className="row small" role="status">
          <span className="grow">Deleted the chat with {deleted.title}.</span>
          <button type="button" className="small" onClick={() => void restore()}>
            Undo
          </button>
        </p>
      )}
      {loaded.state === 'ready' && loaded.data.length === 0 ? (
        <p className="muted small">{search === '' ? 'No conversations yet. Those of “ludus chat” appear here too.' : 'No matches.'}</p>
      ) : null}
      <ul>
        {loaded.state === 'ready'
          ? loaded.data.map((line) => (
              <Listed
                key={line.family.at(-1) ?? line.id}
                line={line}
                isHere={id !== undefined && line.family.includes(id)}
                forget={() => void forget(line)}
              />
            ))
          : null}
      </ul>
    </nav>
  );
}

/** Lists conversations again, or no longer. */
async function show(ids: readonly string[], isListed: boolean): Promise<void> {
  for (const id of ids) await put('/api/chats/:id', { param: { id }, json: { hidden: !isListed } });
}

interface ListedProps {
  readonly line: ChatLine;
  readonly isHere: boolean;
  readonly forget: () => void;
}

function Listed({ line: { id, title, excerpt, lines, model, family, portrait }, isHere, forget }: ListedProps) {
  const picture = portrait === null ? undefined : address('/api/personas/own/:key/portrait', { param: { key: portrait } });
  return (
    <li>
      <a href={link('chat', id)} aria-current={isHere ? 'page' : undefined}>
        <Avatar name={title} size="small" picture={picture} />
        <span className="who">
          <strong className="clip">{title}</strong>
          <span className="muted small clip">{excerpt}</span>
          <span className="muted small clip">
            {count(lines, 'message')}
            {family.length > 1 ? ` · ${count(family.length, 'version')}` : ''} · {model === null ? 'scripted replies' : modelTitle(model)}
          </span>
        </span>
      </a>
      <button type="button" className="plain deed" aria-label={`Delete chat: ${title}`} onClick={forget}>
        ✕
      </button>
    </li>
  );
}
