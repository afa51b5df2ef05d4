/** @file The agent card of a persona: its public data, and its address and protocol. */

import type { AgentCard } from '@a2a-js/sdk';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';

export interface AgentCardOptions {
  readonly url: string;
  readonly version: string;
  /** Whether callers need a token. */
  readonly secured: boolean;
}

export function agentCardOf({ name, statements }: Persona, { url, version, secured }: AgentCardOptions): AgentCard {
  const knownNames = statements
    .filter(({ visibility, polarity }) => visibility === 'public' && polarity === 'must')
    .map(({ text }) => text);
  const description = `A conversation with ${name}, who stays in character.`;
  return {
    name,
    description: knownNames.slice(0, 3).join(' ') || `${name}, a character.`,
    version,
    provider: undefined,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: secured ? { token: bearer } : {},
    securityRequirements: secured ? [{ schemes: { token: { list: [] } } }] : [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        ...{ id: 'talk', name: 'Talk', description, tags: ['persona', 'chat'] },
        ...{ examples: [], inputModes: [], outputModes: [], securityRequirements: [] },
      },
    ],
    signatures: [],
  };
}

const bearer: AgentCard['securitySchemes'][string] = {
  scheme: {
    $case: 'httpAuthSecurityScheme',
    value: { description: 'A token of this server. Create one with "ludus config tokens create".', scheme: 'Bearer', bearerFormat: '' },
  },
};
