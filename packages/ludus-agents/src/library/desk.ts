/** @file `desk`: creates and checks test desks for bots. */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join as joinPath, resolve } from 'node:path';
import { type BotCheck, checkBot } from '@ludus-agents/agents/internal/bot/check';
import { splitCommand } from '@ludus-agents/agents/internal/bot/command-words';
import { createBotLink } from '@ludus-agents/agents/internal/bot/link';
import type { BotAnswer, BotLink } from '@ludus-agents/agents/internal/bot/session';
import { type BotSettings, isBot, readBotSettings } from '@ludus-agents/agents/internal/bot/settings';
import { mcpToolbox } from '@ludus-agents/agents/internal/tools/mcp';
import { createBotServices } from '@ludus-agents/agents/internal/workspace/bots';
import { isOpenApi, toolsFromList, toolsFromOpenApi } from '@ludus-agents/desk/internal/desk-tools';
import { deskScene, deskTables, loadDesk, readText } from '@ludus-agents/desk/internal/desks';
import { checkDesk, type DeskCheck } from '@ludus-agents/desk/internal/environment/check';
import type { DeskDocument, DeskTool } from '@ludus-agents/desk/internal/environment/document';
import { joinDesks } from '@ludus-agents/desk/internal/environment/make/join';
import { type MadeDesk, makeDesk } from '@ludus-agents/desk/internal/make-desk';
import { loadTau2Domain } from '@ludus-agents/desk/internal/tau2-folder';
import { writeTools } from '@ludus-agents/desk/internal/write-tools';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { type AgentSpec, charged, Fault, type Model } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { nearbyFile } from '@ludus-agents/store/internal/files/read-failure';
import { type AgentRef, type CallOptions, type CallPlace, findDocument, findModel, findSpec, placeOf, type Ref } from './refs.ts';

/** A desk, or its folder or file. */
export function findDesk(desk: Ref<DeskDocument>, { cwd, trust }: CallPlace): DeskDocument {
  return typeof desk === 'string' ? loadDesk(desk, cwd, trust) : desk;
}

/** The options of `desk.check`. */
export interface DeskCheckRequest extends CallOptions {
  readonly desk: Ref<DeskDocument>;
}

/** Checks that the cases of a desk are solvable, finds cases that pass trivially, and checks the policy. */
export async function check(request: DeskCheckRequest, place: CallPlace = placeOf(request)): Promise<DeskCheck> {
  return checkDesk(findDesk(request.desk, place));
}

/** The options of `desk.join`. */
export interface DeskJoinRequest extends CallOptions {
  readonly desks: readonly Ref<DeskDocument>[];
  readonly name: string;
}

/** Joins several desks into one with the same customers, one clock, and cases that need more than one of them. */
export async function join(request: DeskJoinRequest, place: CallPlace = placeOf(request)): Promise<DeskDocument> {
  return joinDesks(
    request.desks.map((desk) => findDesk(desk, place)),
    request.name,
  );
}

/** The options of `desk.make`. */
export interface DeskMakeRequest extends CallOptions {
  /** A folder with a policy, and with tools unless a model writes them; it receives the database and the cases. */
  readonly folder: string;
  readonly people?: number | undefined;
  readonly seed?: number | undefined;
  /** A model that writes the tools if the folder has none. */
  readonly model?: Ref<Model> | undefined;
  /** The maximum number of proposals by the model; 3 by default. */
  readonly rounds?: number | undefined;
}

/** Generates a desk's missing parts from its policy: the database, the cases, and with a model also the tools. */
export async function make(request: DeskMakeRequest, place: CallPlace = placeOf(request)): Promise<MadeDesk> {
  const { folder, people = 4, seed = 1, model, rounds = 3, signal } = request;
  const path = resolve(place.cwd, folder);
  const isWithout = !existsSync(joinPath(path, 'tools.json')) && !existsSync(joinPath(path, 'openapi.json'));
  if (model !== undefined && isWithout) {
    const policyFile = joinPath(path, 'policy.md');
    if (!existsSync(policyFile)) throw new Fault('input', `${folder} has no policy.md from which tools could be written.`);
    const { tools: written } = await writeTools(readText(policyFile), { model: await findModel(model, place), rounds, seed, signal });
    writeFileAtomicSync(joinPath(path, 'tools.json'), `${JSON.stringify(written, null, 1)}\n`);
  }
  return makeDesk(folder, place.cwd, { people, seed });
}

/** The options of `desk.import`. */
export interface DeskImportRequest extends CallOptions {
  /** The folder of a domain of τ²-bench. */
  readonly folder: string;
  readonly domain?: string | undefined;
  readonly split?: string | undefined;
  /** The agent that plays the customer. */
  readonly customer?: string | undefined;
}

/** A domain as a suite, the number of imported tasks, and the missing or reduced parts. */
export interface ImportedDomain {
  readonly suite: SuiteInput;
  readonly tasks: number;
  readonly taken: number;
  readonly missing: Readonly<Record<string, number>>;
  readonly reduced: Readonly<Record<string, number>>;
}

/** Imports a domain of τ²-bench as a suite. */
export async function importDomain(request: DeskImportRequest, place: CallPlace = placeOf(request)): Promise<ImportedDomain> {
  const { folder, split, customer = 'llm' } = request;
  const domain = request.domain ?? basename(resolve(place.cwd, folder));
  const { cases, tasks, missing, reduced } = loadTau2Domain(folder, place.cwd, { domain, split });
  if (cases.length === 0)
    throw new Fault('input', `None of ${count(tasks, 'task')} in ${folder} could be imported: ${Object.keys(missing).join(', ')}.`);
  const suite: SuiteInput = {
    name: `tau2-${domain}`,
    about: `The tasks of τ²'s ${domain} desk: the end state must match the one reached by the gold calls, and all required facts must be told.`,
    seeds: 1,
    nulls: ['scripted:do-nothing', 'scripted:always-refuse'],
    scenes: [deskScene(domain, cases, customer)],
  };
  return { suite, tasks, taken: cases.length, missing, reduced };
}

/** The options of `desk.tools`. */
export interface DeskToolsRequest extends CallOptions {
  /** The file of an OpenAPI document, or an MCP server as mcp:COMMAND or mcp:URL. */
  readonly source: string;
  /** The desk whose tables the tools of an MCP server read. */
  readonly desk?: string | undefined;
}

/** Reads the tools of a desk from an OpenAPI document or an MCP server. A tool whose effect is unknown returns null. */
export async function tools(request: DeskToolsRequest, place: CallPlace = placeOf(request)): Promise<readonly DeskTool[]> {
  const { source, desk } = request;
  if (!source.startsWith('mcp:')) {
    const document = await findDocument(source, place, 'The document');
    if (isOpenApi(document)) return toolsFromOpenApi(document, source);
    throw new Fault(
      'input',
      `${source} is not an OpenAPI document: "openapi" and "paths" are missing. For an MCP server, use mcp:COMMAND.`,
    );
  }
  const address = source.slice('mcp:'.length);
  const [command = '', ...args] = /^https?:/.test(address) ? [] : splitCommand(address);
  const box = await mcpToolbox('desk', command === '' ? { url: address } : { command, args, cwd: place.cwd });
  try {
    const listed = box.tools.map(({ spec: { name, description, parameters } }) => ({
      name: name.replace(/^desk__/, ''),
      description,
      parameters,
    }));
    return toolsFromList(listed, desk === undefined ? [] : deskTables(desk, place.cwd));
  } finally {
    await box.close?.();
  }
}

/** The options of `desk.bot`. */
export interface DeskBotRequest extends CallOptions {
  /** A bot: bot.json, bot.ts, bot:http://…, a2a:http://…, cmd:COMMAND. */
  readonly bot: AgentRef;
}

/** Tests the connection to a bot: whether it answers, remembers, and keeps conversations separate. */
export async function bot(request: DeskBotRequest, place: CallPlace = placeOf(request)): Promise<BotCheck> {
  const secret = `Ada${randomBytes(4).toString('hex')}`;
  const { signal = new AbortController().signal } = request;
  return checkBot({ ...(await openBot(request.bot, place)), secret, signal });
}

/** A connected bot; each message counts as a model call. */
export async function openBot(
  named: AgentRef,
  place: CallPlace,
): Promise<{ readonly name: string; readonly settings: BotSettings; readonly link: BotLink }> {
  const spec = await botSpec(named, place);
  const settings = readBotSettings(spec);
  const link = await createBotLink(spec.name, settings, createBotServices(spec, place.cwd, place.trust));
  return { name: spec.name, settings, link: countedLink(link) };
}

/** A program counts as a bot here, regardless of its function's name. */
async function botSpec(named: AgentRef, place: CallPlace): Promise<AgentSpec> {
  const word = typeof named === 'string' ? named : '';
  const spec = /^[^:]*\.[cm]?[jt]s(#\w+)?$/.test(word) ? { name: word, kind: `bot:${word}` } : await findSpec(named, place);
  if (isBot(spec)) return spec;
  const near = nearbyFile(resolve(place.cwd, word));
  throw new Fault(
    'input',
    `"${word.slice(0, 80)}" is not a bot${near}${spec.kind === word ? '' : ` but of the kind "${spec.kind.slice(0, 80)}"`}. Use a file such as bot.json or bot.ts, or bot:http://…, a2a:http://…, or cmd:COMMAND.${near === '' ? didYouMean(spec.kind, ['bot', 'a2a', 'cmd']) : ''}`,
  );
}

/** A link whose every message counts as a model call: a bot uses a model at an unknown price. */
function countedLink(link: BotLink): BotLink {
  return {
    name: link.name,
    ...(link.reach === undefined ? {} : { reach: link.reach }),
    async open(session, signal) {
      const opened = await link.open(session, signal);
      return {
        close: () => opened.close(),
        async send(message, until) {
          let answer: BotAnswer | undefined;
          const model = charged({
            id: link.name,
            price: null,
            async complete(prompt, _, within) {
              answer = await opened.send(message, within);
              const { text, promptTokens, completionTokens } = answer;
              const isKnown = promptTokens !== undefined && completionTokens !== undefined;
              const usage = isKnown ? { promptTokens, completionTokens } : { promptTokens: 0, completionTokens: 0, estimated: true };
              return { model: link.name, prompt, text, finish: 'stop', usage, cost: null };
            },
          });
          await model.complete({ messages: [{ role: 'user', content: message }] }, {}, until);
          return answer as BotAnswer;
        },
      };
    },
  };
}
