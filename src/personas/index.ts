/** @file The door of personas: the document, its exchange with other programs, lorebooks, rendering and populations. */

export { exportLorebook, importLorebook } from './exchange/book.ts';
export {
  type ExportFormat,
  type ExportOptions,
  exportFormats,
  exportPersona,
  type Imported,
  importPersona,
  losses,
  withFragment,
} from './exchange/detect.ts';
export { emotions, relationKinds, schwartzValues, traits } from './form.ts';
export { derive, type Edit, merge, type Variation, vary } from './lineage.ts';
export { type ActiveLore, activate, type LoreResult, type LoreScene, type LoreState, newLoreState, steadyLore } from './lore/activate.ts';
export { expandMacros, type MacroNames } from './lore/macros.ts';
export { checkPersona, type PersonaInput, parsePersona, personaSchema, slug } from './parse.ts';
export type * from './persona.ts';
export { sentences, statementLine, traitWords } from './prose.ts';
export { type Bucket, type RenderOptions, renderPersona, type Section, textOfBuckets } from './render.ts';
export { type Level, levelOf, mayKnow, type PersonaView, privateTexts, type Viewer, visibleTo } from './visibility.ts';
