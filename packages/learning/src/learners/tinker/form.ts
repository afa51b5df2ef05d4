/** @file The prompt form of a learner on a server: sent to the server with the model, and saved there in each adapter. */

import type { Codec } from '@ludus-agents/agents/internal/models/codec';
import type { JsonObject, PromptForm } from '@ludus-agents/kernel/internal/core/index';

/** The form without the codec's part. */
export type AskedForm = Pick<PromptForm, 'settings' | 'tools'>;

/** A chat with every role that templates support, and with characters that tokenizers treat differently. */
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
    // A codec that is a program has no template for other machines.
    ...(template !== undefined && { template, probe: { messages: probe, tokens: codec.encode({ messages: probe }) } }),
  };
}

/** The metadata of a model for the server, saved with its weights. */
export function metadataOf(form: AskedForm | undefined, codec: Codec): JsonObject | null {
  return form === undefined ? null : { ludus: JSON.stringify(promptFormOf(form, codec)) };
}
