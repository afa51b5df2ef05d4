/** @file How a learner on a server is asked, as it travels with its weights: told to the server with the model, and saved there in each adapter. */

import type { Codec } from '@ludus-agents/agents/internal/models/codec';
import type { JsonObject, PromptForm } from '@ludus-agents/kernel/internal/core/index';

/** The form without what the codec knows. */
export type AskedForm = Pick<PromptForm, 'settings' | 'tools'>;

/** A chat of every role that templates know, with signs and letters that tokenizers differ in. */
const probe: NonNullable<PromptForm['probe']>['messages'] = [
  { role: 'user', content: 'You hold the king.\nPot 2: [check] or [bet]?' },
  { role: 'assistant', content: '[check]' },
  { role: 'user', content: 'second: [bet] – naïve, isn’t it? 1,024' },
];

function promptFormOf({ settings, tools = [] }: AskedForm, codec: Codec): PromptForm {
  const { template } = codec;
  return {
    version: 1,
    settings,
    ...(tools.length > 0 && { tools }),
    // A codec that is a program has no template that another machine could use.
    ...(template !== undefined && { template, probe: { messages: probe, tokens: codec.encode({ messages: probe }) } }),
  };
}

/** What the server is told about a model, to save with its weights. */
export function metadataOf(form: AskedForm | undefined, codec: Codec): JsonObject | null {
  return form === undefined ? null : { ludus: JSON.stringify(promptFormOf(form, codec)) };
}
