/**
 * @file The language agent: perceives, composes one prompt, calls its model once, and keeps its state in its mind.
 *
 * Model, persona, texts, notes, and settings come from its spec. Other architectures and reflection may take more than one call and say so
 * in their own files. Every call is in the reply.
 */

import type { Action, Agent, AgentSpec, Ask, Model, ModelCall, Reply, Seat, Turn } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { askingVoice, withKnownVoice } from '@ludus-agents/kernel/internal/core/voice';
import { type AffectState, moodAfterPause } from '../mind/affect.ts';
import { cutTo, estimate, type Tokens } from '../mind/budget.ts';
import { heardFacts } from '../mind/heard.ts';
import { knowledgeWords } from '../mind/knowledge.ts';
import { emptyMemory, type Memory, remember, touch, trimMemory, valid } from '../mind/memory.ts';
import { type Mind, type Perception, readMind } from '../mind/mind.ts';
import { planIn } from '../mind/plan.ts';
import { insightsIn } from '../mind/reflect.ts';
import type { RecallEncoder } from '../mind/relevance.ts';
import { defaultUser, type Persona, renderPersona, type Section } from '../personas/index.ts';
import { renderCompact } from '../personas/render-compact.ts';
import { withTicks } from '../ticks.ts';
import type { KeptTool } from '../tools/kept-tools.ts';
import type { ToolRecord, ToolSet, Toolset } from '../tools/tool.ts';
import { discussionText, type ExtraField, type ParsedAnswer, takeData } from './answer.ts';
import { type Architecture, type CodeState, plain } from './architectures/architecture.ts';
import { rulesHere } from './architectures/look-ahead.ts';
import { type Composed, compose } from './compose.ts';
import { moveIn, promptRoom, samplingFor, scoredMove, withNote, withoutLabels } from './moves.ts';
import { type Player, perceiveTurn, type Stirred } from './perception.ts';
import { isWritten, writeFacts } from './profile-writer.ts';
import { type Frame, frameOf, neutralPrompt, reflectionPrompt } from './prompt.ts';
import { editedTexts, isRevisionDue, type OwnTextEdit, reviseTexts } from './revise.ts';
import { type ArchitectureName, type LlmSettings, personaOf, readSettings } from './settings.ts';
import { prepareTools, toolsFor, withRoute } from './tool-steps.ts';
import { isBare, viewAgent } from './view-agent.ts';

export interface LlmOptions {
  readonly spec: AgentSpec;
  readonly seat: Seat;
  readonly model: Model;
  /** The model's own tokenizer, if known. */
  readonly tokens?: Tokens | undefined;
  readonly encoder?: RecallEncoder | undefined;
  readonly tools?: ToolSet | undefined;
  /** True if the environment accepts only listed moves, so that an answer can be constrained to one of them. */
  readonly complete?: boolean | undefined;
  /** An agent with only texts and a model receives those texts and the messages, without rules for answering. */
  readonly bare?: boolean | undefined;
  /** Seeds every call with the random numbers of its turn: samples of a learner are independent, and its episodes reproducible. */
  readonly seeded?: boolean | undefined;
  /** Memory from earlier episodes; loaded once per episode if the settings say so. */
  readonly lasting?: (() => Promise<Memory>) | undefined;
  /** Its last mind, loaded likewise, for the mood in it. */
  readonly lastMind?: (() => Promise<Mind | undefined>) | undefined;
  /** Functions stored in earlier episodes, loaded likewise. */
  readonly toolbox?: (() => Promise<readonly KeptTool[]>) | undefined;
}

const architectures: Readonly<Record<ArchitectureName, () => Promise<Architecture>>> = {
  plain: async () => plain,
  code: async () => (await import('./architectures/code.ts')).code,
  react: async () => (await import('./architectures/react.ts')).react,
  'role-play': async () => (await import('./architectures/role-play.ts')).rolePlay,
  'solo-performance': async () => (await import('./architectures/solo-performance.ts')).soloPerformance,
  'look-ahead': async () => (await import('./architectures/look-ahead.ts')).lookAhead,
  'jekyll-hyde': async () => (await import('./architectures/jekyll-hyde.ts')).jekyllHyde,
};

/** The remaining mood from an earlier conversation, for a character with memory and feelings. */
async function moodBrought({ settings, persona }: Player, { lastMind }: LlmOptions): Promise<AffectState | undefined> {
  if (!settings.lasting || !settings.affect || persona === null) return undefined;
  const last = await lastMind?.();
  return last?.affect === undefined ? undefined : moodAfterPause(last.affect, last.turn, persona.affect);
}

/** Limits: the most records of a mind without and with structures over its facts, characters of a thought, and records for a reflection. */
const [mostRecords, mostFacts] = [40, 200];
const longestThought = 600;
const reflectedOn = 100;

function recordsOf({ knowledge }: LlmSettings): number {
  return knowledge.length === 0 ? mostRecords : mostFacts;
}

/** Whether a protocol of a team asks, and reads the lines of the answer. */
function isDiscussed({ data }: Ask): boolean {
  return isObject(data) && typeof data['part'] === 'string';
}

/** The default number of images for a model with vision. */
const usualImages = 2;

export async function llmAgent(options: LlmOptions): Promise<Agent> {
  const { spec, model } = options;
  const persona = spec.persona === undefined ? null : personaOf(spec.persona, spec.name);
  const holds = await model.context?.();
  const settings = withSight(readSettings(spec, persona, holds), model, spec.name);
  if (settings.prompt === 'view' || (options.bare === true && isBare(spec))) return viewAgent({ ...options, settings });
  const architecture = await architectures[settings.architecture]();
  const tools = await toolsFor(options, settings);
  const casting: Casting = { persona, settings, architecture, tools, holds };
  const unedited = createPlayer(options, casting);
  let edited = { edits: [] as readonly OwnTextEdit[], texts: spec.texts ?? {}, cast: unedited };
  /** The player with its edited texts; created again only when the edits change. */
  const castWith = (edits: readonly OwnTextEdit[]) => {
    if (edits.length === 0) return { texts: spec.texts ?? {}, cast: unedited };
    if (JSON.stringify(edits) === JSON.stringify(edited.edits)) return edited;
    const texts = editedTexts(spec.texts ?? {}, edits);
    edited = { edits, texts, cast: createPlayer({ ...options, spec: { ...spec, texts } }, casting) };
    return edited;
  };

  async function act(inputTurn: Turn, signal: AbortSignal): Promise<Reply> {
    // If all answers are listed moves, nothing is said aloud.
    const silent = options.complete === true && inputTurn.ask.choices !== undefined;
    const turn = settings.spoken && !silent ? { ...inputTurn, ask: askingVoice(inputTurn.ask) } : inputTurn;
    const calls: ModelCall[] = [];
    let mind = readMind(turn.mind);
    let edits = mind?.edits ?? [];
    if (mind !== undefined && isRevisionDue(mind.turn, edits, settings.revise)) {
      const { texts } = castWith(edits);
      edits = [...edits, await reviseTexts({ texts, seen: turn.view.seen, turn: mind.turn, model, calls }, signal)];
    }
    const { texts, cast } = castWith(edits);
    const { player, bare, extras } = cast;
    const felt = perceiveTurn(player, turn, mind, mind === undefined ? await moodBrought(player, options) : undefined);
    if (felt.due && mind !== undefined) mind = await reflect(player, { mind, felt, model, calls }, signal);
    // Memory from earlier episodes is logged with the first turn and is part of the mind from then on.
    const brought = mind === undefined && settings.lasting ? ((await options.lasting?.()) ?? emptyMemory) : emptyMemory;
    const ownPlayer = brought.records.length === 0 ? player : { ...player, notes: mergeMemories(player.notes, brought) };
    const moves = options.complete === true || settings.choose === 'listed' ? (turn.ask.choices ?? []) : [];
    const hasCode = settings.architecture === 'code';
    const code: CodeState = {
      vars: mind?.vars ?? {},
      box: mind?.box ?? (hasCode && mind === undefined && settings.lasting ? ((await options.toolbox?.()) ?? []) : []),
      choices: turn.ask.choices ?? [],
      seed: hasCode ? turn.rng.int(2 ** 31) : 0,
    };
    const toolTurn = await prepareTools({ tools, settings, mind, view: turn.view, model, calls, earlier: options.lastMind }, signal);
    const think = async (who: Player) => {
      const composed = await compose(who, turn, { mind, stirred: felt });
      if (settings.choose === 'score' && moves.length > 0)
        return { composed, result: await scoredMove(model, { prompt: composed.prompt, moves, who: spec.name }, signal) };
      const fitting = samplingFor(model, player, { extras, moves, ask: turn.ask });
      const sampling = options.seeded === true ? { ...fitting, seed: turn.rng.int(2 ** 31) } : fitting;
      const { answer, steps } = settings;
      const form = answer === 'labels' && isDiscussed(turn.ask) ? 'lines' : answer;
      const { planned, ...withTools } = toolTurn;
      return {
        composed,
        result: await architecture.play({
          prompt: planned === undefined ? composed.prompt : withRoute(composed.prompt, planned),
          neutral: () => neutralPrompt(composed.composition, bare),
          model,
          sampling,
          form,
          ...withTools,
          encoder: player.encoder,
          steps,
          code,
          ...(settings.architecture === 'look-ahead' ? { foresight: rulesHere(texts, turn.view.seen) } : {}),
          signal,
        }),
      };
    };
    const { composed, result } = await think(ownPlayer).catch((thrown: unknown) => {
      const size = player.settings.budget ?? Math.min(player.most, holds ?? Number.POSITIVE_INFINITY, 4096);
      if (signal.aborted || !isTooLong(thrown)) throw thrown;
      // The server's context is smaller than it reported, or it counts tokens differently: retry with half the size.
      return think({ ...ownPlayer, most: Math.floor(size / 2), settings: { ...player.settings, budget: null } });
    });
    const spoken = settings.choose === 'score' ? result.answer : withoutLabels(player, turn.view, result.answer);
    const { answer, data: written } = turn.ask.fields === undefined ? { answer: spoken } : takeData(spoken);
    const data = settings.spoken ? withKnownVoice(written) : written;
    const { text, note } = moves.length === 0 && isDiscussed(turn.ask) ? { text: discussionText(answer) } : moveIn(answer, moves);
    calls.push(...result.calls.slice(0, -1), ...result.calls.slice(-1).map((call) => withNote(call, note)));
    const { perception } = felt;
    const answered = mindAfter(player, withMemory(composed, brought), { answer, perception, uses: result.uses ?? [] });
    const request = {
      memory: answered.memory,
      perception,
      seat: options.seat,
      text: texts['writer'],
      model,
      sampling: settings.sampling,
      knowledge: settings.knowledge,
      calls,
    };
    const after = settings.writer ? { ...answered, memory: trimMemory(await writeFacts(request, signal), recordsOf(settings)) } : answered;
    const left = {
      ...(result.code === undefined ? {} : { vars: result.code.vars, box: result.code.box }),
      ...(result.toolState === undefined ? {} : { toolState: result.toolState }),
      ...(toolTurn.planned === undefined ? {} : { toolPlan: toolTurn.planned.plan() }),
      ...(result.removedResults === undefined ? {} : { removedResults: result.removedResults }),
    };
    const ahead = {
      ...(result.foreseen === undefined ? {} : { foreseen: result.foreseen }),
      ...(result.ensemble === undefined ? {} : { ensemble: result.ensemble }),
      ...(edits.length === 0 ? {} : { edits }),
    };
    const action: Action = data === undefined ? { text } : { text, data };
    return { action: withTicks(action, settings.ticks * calls.length), mind: { ...after, ...left, ...ahead }, calls };
  }

  return { name: spec.name, speaks: true, act };
}

/** Sets how many images are sent: none unless the model accepts them. Throws if the text is hidden without them. */
function withSight(settings: LlmSettings, { id, sees }: Model, who: string): LlmSettings {
  const images = settings.images ?? (sees === true ? usualImages : 0);
  if (images > 0 && sees === false) throw new Fault('input', `${who}: ${id} does not accept images. Set "images" to 0.`);
  if (settings.imagesOnly && images === 0)
    throw new Fault(
      'input',
      `${who}: "imagesOnly" hides the text, but ${id} is not known to accept images. If it does, set "images" to 1 or more.`,
    );
  return { ...settings, images };
}

/** Servers word the error for a too long prompt differently, but all mention the context or tokens. */
function isTooLong(thrown: unknown): boolean {
  const { status, message } = (thrown ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  return (
    (status === 400 || status === 413 || status === 422) &&
    linear(/context|too long|exceed|maximum.{0,20}tokens|holds \d+ tokens/i).test(String(message))
  );
}

interface Casting {
  readonly persona: Persona | null;
  readonly settings: LlmSettings;
  readonly architecture: Architecture;
  readonly tools: Toolset | null;
  /** The size of the model's context in tokens, if known. */
  readonly holds: number | undefined;
}

/** Everything about an agent that stays the same in every turn, computed once, and its frame without the persona. */
function createPlayer(options: LlmOptions, { persona, settings: llmSettings, architecture, tools, holds }: Casting) {
  const { spec, seat, tokens = estimate } = options;
  const most = holds === undefined ? Number.POSITIVE_INFINITY : promptRoom(llmSettings, holds, options.tokens !== undefined);
  const tail = llmSettings.prompt === 'compact' ? Math.min(llmSettings.tail, Math.max(16, Math.floor(most / 8))) : llmSettings.tail;
  const settings = { ...llmSettings, tail, budget: llmSettings.budget === null ? null : Math.min(llmSettings.budget, most) };
  const sections = persona === null ? [] : sectionsOf(persona, settings, { tokens, most });
  const extras: ExtraField[] = [];
  if (settings.remember) extras.push('remember');
  if (settings.plan) extras.push('plan');
  if (settings.context === 'constant' || settings.context === 'summary') extras.push('memo');
  // The text "writer" is for the fact writer only.
  const { writer: _, ...texts } = spec.texts ?? {};
  const frameSections = (visibleSections: readonly Section[], who: Persona | null) =>
    frameOf(
      {
        form: settings.answer,
        extras,
        manner: [architecture.manner ?? '', knowledgeWords(settings.knowledge.filter((name) => !(settings.writer && isWritten(name))))]
          .filter((text) => text !== '')
          .join('\n'),
        texts: settings.writer ? texts : (spec.texts ?? {}),
        sections: visibleSections,
        before: architecture.before?.(who, settings.feedback) ?? [],
        // Tools that change during an episode are not part of the constant prefix.
        tools: settings.architecture === 'react' && settings.toolContext.mode !== 'all' ? [] : (tools?.specs ?? []),
        ...(settings.prompt === 'compact' ? { compact: { name: who?.name ?? null } } : {}),
      },
      tokens,
    );
  const called = persona === null ? [] : [persona.name, persona.nickname ?? '', ...persona.aliases];
  const player: Player = {
    seat,
    names: [seat, ...called].filter((name) => name !== ''),
    persona,
    settings,
    frame: fitting(sections, (sections) => frameSections(sections, persona), { ...settings, most, who: spec.name, tokens }),
    most,
    reminder: sections.find(({ bucket }) => bucket === 'G') ?? null,
    notes: notesOf(spec.notes ?? [], seat),
    tokens,
    encoder: options.encoder,
    lines: new WeakMap(),
  };
  return { player, bare: frameSections([], null), extras };
}

/** A persona as sections: all of it, or for a small model a short description and the final instruction. */
function sectionsOf(persona: Persona, settings: LlmSettings, room: { readonly tokens: Tokens; readonly most: number }): readonly Section[] {
  const user = settings.user === null ? {} : { user: settings.user };
  const whole = renderPersona(persona, { depthApart: true, others: settings.others.map((other) => ({ persona: other })), ...user });
  if (settings.prompt === 'full') return whole;
  const few = renderCompact(persona, {
    ...user,
    secrets: settings.secrets,
    tokens: { most: Math.min(230, Math.floor(room.most * 0.4)), count: room.tokens },
  });
  return [...few, ...whole.filter(({ bucket }) => bucket === 'G')];
}

interface FrameRoom extends Pick<LlmSettings, 'budget' | 'tail'> {
  readonly most: number;
  readonly who: string;
  readonly tokens: Tokens;
}

/** The frame. If space is short, examples, lore, and other personas are left out; in a small context the persona is shortened. */
function fitting(sections: readonly Section[], framed: (sections: readonly Section[]) => Frame, room: FrameRoom): Frame {
  const { budget, tail, most, who, tokens } = room;
  let visibleSections = sections;
  let frame = framed(visibleSections);
  const space = Math.min(budget ?? most, most) - tail - (most < 400 ? 24 : 80);
  for (const name of ['examples', 'lore', 'others']) {
    if (frame.tokens <= space) return frame;
    visibleSections = visibleSections.filter((section) => section.name !== name);
    frame = framed(visibleSections);
  }
  if (frame.tokens <= space) return frame;
  const left = space - framed([]).tokens - 8;
  const whole = visibleSections.filter(({ bucket }) => bucket !== 'G').map(({ text }) => text);
  // A budget that is too small is an error; a small model context is not.
  if ((budget === null || budget === most) && left >= 24 && whole.length > 0) {
    const text = cutTo(whole.join('\n\n'), left, tokens);
    return framed([{ ...visibleSections[0]!, bucket: 'B', text }]);
  }
  throw new Fault(
    'input',
    `${who}: rules and persona take ${frame.tokens} tokens, which do not fit into a budget of ${Math.min(budget ?? most, most)} with a tail of ${tail}. Raise "budget" or shorten the texts.`,
  );
}

function mergeMemories(notes: Memory, brought: Memory): Memory {
  return { ...notes, records: [...notes.records, ...brought.records] };
}

/** The mind after composing, with memories from earlier episodes. */
function withMemory(composed: Composed, brought: Memory): Composed {
  return brought.records.length === 0 ? composed : { ...composed, mind: { ...composed.mind, memory: brought } };
}

/** Long-term memory: available from the first turn, and never stored with the mind. */
function notesOf(notes: readonly string[], seat: Seat): Memory {
  return notes.reduce(
    (memory, text, i) => remember(memory, { id: `n${i + 1}`, kind: 'fact', text, owner: seat, importance: 7 }, 0),
    emptyMemory,
  );
}

interface Answered {
  readonly answer: ParsedAnswer;
  readonly perception: Perception;
  readonly uses: readonly ToolRecord[];
}

/** The mind after the answer, with its notes, plan, and thought. */
function mindAfter({ seat, settings, persona, tokens }: Player, { mind, due }: Composed, { answer, perception, uses }: Answered): Mind {
  const now = mind.turn;
  const notes = settings.remember ? answer.remember.map(({ key, text }) => ({ key, text: `${key}: ${text}`, event: mind.count - 1 })) : [];
  // A model that writes no notes still remembers the stated facts, each once, even if another version of the conversation has it.
  const fresh = perception.items.filter(({ index }) => index >= perception.fresh);
  const nameOf = (from: Seat) => (from === 'user' ? (settings.user ?? defaultUser) : from);
  const statedFacts =
    notes.length === 0 && settings.lasting && !settings.writer && persona !== null ? heardFacts(fresh, { seat, nameOf }) : [];
  let memory = touch(mind.memory ?? emptyMemory, mind.why?.memories ?? [], now);
  const remembered = new Set(valid(memory, { at: now, viewer: seat }).map(({ text }) => text));
  for (const { event, ...note } of [...notes, ...statedFacts.filter(({ text }) => !remembered.has(text))])
    memory = remember(memory, { ...note, kind: 'fact', owner: seat, importance: 7, evidence: [`e${event}`] }, now);
  const plan = settings.plan ? (planIn(answer.plan, now) ?? mind.plan) : undefined;
  const wrote = answer.memo !== '' && (settings.context === 'constant' || due);
  const memo = wrote ? { text: cutTo(answer.memo, settings.memo, tokens), upTo: mind.count } : mind.memo;
  return {
    ...mind,
    ...(memory.records.length === 0 ? {} : { memory: trimMemory(memory, recordsOf(settings)) }),
    ...(plan === undefined ? {} : { plan }),
    ...(memo === undefined ? {} : { memo }),
    ...(answer.thought === '' ? {} : { thought: answer.thought.slice(0, longestThought).toWellFormed() }),
    ...(uses.length === 0 ? {} : { uses }),
  };
}

/** The mind with insights from a reflection, which costs one call. */
async function reflect(
  { seat, persona }: Player,
  now: { readonly mind: Mind; readonly felt: Stirred; readonly model: Model; readonly calls: ModelCall[] },
  signal: AbortSignal,
): Promise<Mind> {
  const { mind, felt, model, calls } = now;
  const memory = mind.memory ?? emptyMemory;
  const messages = felt.perception.items.flatMap(({ index, seen }) =>
    seen.kind === 'message' ? [{ id: `e${index}`, text: seen.from === undefined ? seen.text : `${seen.from}: ${seen.text}` }] : [],
  );
  const records = [...valid(memory, { at: mind.turn, viewer: seat }), ...messages].slice(-reflectedOn);
  const texts = records.map(({ text }) => text);
  const call = await model.complete(reflectionPrompt(persona?.name ?? seat, texts), {}, signal);
  calls.push(call);
  const ids = records.map(({ id }) => id);
  return { ...mind, memory: insightsIn(call.text, ids, seat).reduce((memory, insight) => remember(memory, insight, mind.turn), memory) };
}
