/**
 * @file A bot that speaks A2A, called with the protocol's own client. Each conversation has one context; a task continues while it requests
 * more input.
 *
 * A bot's card may name any address. Only the bot's own server is called, so a card cannot redirect requests or headers.
 */

import type { Message, Part, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { Fault, isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { reachServer } from './reach.ts';
import type { BotAnswer, BotLink, BotServices, BotSession } from './session.ts';
import { type BotSettings, variable } from './settings.ts';

export function a2aBot(name: string, settings: BotSettings, services: Pick<BotServices, 'env'>): BotLink {
  const origin = new URL(settings.url).origin;
  const fetchOwn: typeof fetch = (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (new URL(url, origin).origin !== origin)
      throw new Fault(
        'agent',
        `The agent card of bot ${name} points to ${new URL(url).origin}, but only ${origin} is called. Use the address from the card.`,
      );
    const headers = new Headers(init?.headers);
    for (const [header, text] of Object.entries(settings.headers))
      headers.set(
        header,
        text.replace(variable, (_, key) => services.env(key) ?? ''),
      );
    return fetch(input, { ...init, headers, redirect: 'error' });
  };
  let client: ReturnType<typeof connect> | undefined;
  return {
    name: settings.url,
    reach: (signal) => reachServer(name, settings, signal),
    async open(): Promise<BotSession> {
      client ??= connect(settings.url, fetchOwn);
      const { sdk, peer } = await client.catch((thrown) => {
        client = undefined;
        throw faultOf(name, thrown);
      });
      let [contextId, taskId] = ['', ''];
      return {
        async send(text, signal): Promise<BotAnswer> {
          const message = new Heard();
          try {
            for await (const event of peer.sendMessageStream(requestOf(text, { contextId, taskId }, sdk.Role.ROLE_USER), { signal }))
              message.take(event);
          } catch (thrown) {
            // Cancels a task without waiting callers. Whether the bot really stops is up to the bot.
            if (message.taskId !== '') peer.cancelTask({ tenant: '', id: message.taskId, metadata: undefined }).catch(() => undefined);
            if (signal.aborted) throw signal.reason;
            throw faultOf(name, thrown);
          }
          contextId = message.contextId || contextId;
          const { TaskState } = sdk;
          const bad = [
            TaskState.TASK_STATE_FAILED,
            TaskState.TASK_STATE_REJECTED,
            TaskState.TASK_STATE_CANCELED,
            TaskState.TASK_STATE_AUTH_REQUIRED,
          ];
          const { state } = message;
          if (state !== undefined && bad.includes(state))
            throw new Fault(
              'agent',
              `The bot ${name} ended its task as ${TaskState[state]}: ${message.words?.text ?? 'it gave no reason'}`,
              { code: 'E_BOT_FAILED' },
            );
          taskId = state === TaskState.TASK_STATE_INPUT_REQUIRED ? message.taskId : '';
          const { words } = message;
          if (words === null)
            throw new Fault('agent', `The bot ${name} answered without text in a message, a status, or an artifact.`, {
              code: 'E_BOT_FAILED',
            });
          return { text: words.text, notes: [`The text is in its ${words.from}.`] };
        },
        async close() {
          if (taskId !== '') await peer.cancelTask({ tenant: '', id: taskId, metadata: undefined }).catch(() => undefined);
        },
      };
    },
  };
}

async function connect(url: string, fetchImpl: typeof fetch) {
  const [sdk, client] = await Promise.all([import('@a2a-js/sdk'), import('@a2a-js/sdk/client')]);
  const { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } = client;
  const legacyCompat = { enabled: true };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat }), new RestTransportFactory({ fetchImpl, legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
    }),
  );
  if (/\.json$/.test(new URL(url).pathname)) return { sdk, peer: await factory.createFromUrl(url, '') };
  const below = `${url.replace(/\/$/, '')}/${sdk.AGENT_CARD_PATH}`;
  try {
    return { sdk, peer: await factory.createFromUrl(below, '') };
  } catch (thrown) {
    // A server with a single agent has its card at the root.
    const root = new URL(`/${sdk.AGENT_CARD_PATH}`, url).href;
    if (isFault(thrown) || root === below) throw thrown;
    return { sdk, peer: await factory.createFromUrl(root, '') };
  }
}

/** The text of one answer, collected from a bot's events. */
class Heard {
  contextId = '';
  taskId = '';
  state: number | undefined;
  #message = '';
  #status = '';
  readonly #artifacts = new Map<string, string>();

  take({ payload }: StreamResponse): void {
    if (payload?.$case === 'message') {
      this.contextId = payload.value.contextId;
      this.#message += textOf(payload.value.parts);
    } else if (payload?.$case === 'task') this.#task(payload.value);
    else if (payload?.$case === 'statusUpdate') {
      const { taskId, contextId, status } = payload.value;
      this.#note(taskId, contextId, status);
    } else if (payload?.$case === 'artifactUpdate') {
      const { artifact, append } = payload.value;
      if (artifact === undefined) return;
      const before = append ? (this.#artifacts.get(artifact.artifactId) ?? '') : '';
      this.#artifacts.set(artifact.artifactId, before + textOf(artifact.parts));
    }
  }

  /** The first available text: the message, then the last status, then the artifacts; null if none has text. */
  get words(): { readonly text: string; readonly from: string } | null {
    const matches = [
      { text: this.#message, from: 'message' },
      { text: this.#status, from: 'status' },
      { text: [...this.#artifacts.values()].join('\n'), from: 'artifact' },
    ];
    return matches.find(({ text }) => text !== '') ?? null;
  }

  #task({ id, contextId, status, artifacts }: Task): void {
    this.#note(id, contextId, status);
    for (const { artifactId, parts } of artifacts) this.#artifacts.set(artifactId, textOf(parts));
  }

  #note(taskId: string, contextId: string, status: Task['status']): void {
    this.taskId = taskId;
    this.contextId = contextId;
    this.state = status?.state;
    // Status texts while working are not the answer: the last one counts.
    this.#status = status?.message === undefined ? '' : textOf(status.message.parts);
  }
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}

function requestOf(text: string, at: { readonly contextId: string; readonly taskId: string }, role: Message['role']): SendMessageRequest {
  const part: Part = { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' };
  const message: Message = {
    ...at,
    messageId: crypto.randomUUID(),
    role,
    parts: [part],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  const configuration = { acceptedOutputModes: ['text/plain'], taskPushNotificationConfig: undefined, returnImmediately: false };
  return { tenant: '', message, configuration, metadata: undefined };
}

function faultOf(name: string, thrown: unknown): Fault {
  if (isFault(thrown)) return thrown;
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return isFault(cause)
    ? cause
    : new Fault('agent', `The bot ${name} could not be reached over A2A: ${sentenceOf(cause)}.`, { code: 'E_BOT_FAILED' });
}
