/** @file Everything that personas export: the document, its exchange with other programs, lorebooks, rendering and populations. */

export { type BuiltCharacter, buildCharacter, type CharacterChoices } from './builder.ts';
export { type Draft, type DraftOptions, draftPersona, draftScene, draftSchema, type SceneDraft, sceneDraftSchema } from './draft.ts';
export { exportLorebook, importLorebook } from './exchange/book.ts';
export { type ExportOptions, exportPersona, type Imported, importPersona, losses, withFragment } from './exchange/detect.ts';
export { type ExportFormat, exportFormats } from './exchange/export-formats.ts';
export { emotions, relationKinds, schwartzValues, traits } from './form.ts';
export { customers } from './gallery/customers.ts';
export { dinnerGuests, gallery } from './gallery/index.ts';
export { type IndividualOptions, type IndividualReport, personaFromTexts, toStatement } from './individual.ts';
export { type InferredTrait, inferTraits } from './infer-traits.ts';
export { type LexicalBigFive, type LexicalTrait, lexicalBigFive } from './lexical.ts';
export { derive, merge, type PersonaEdit, type Variation, vary } from './lineage.ts';
export {
  type ActiveLore,
  activateLore,
  type LoreResult,
  type LoreScene,
  type LoreState,
  newLoreState,
  steadyLore,
} from './lore/activate.ts';
export { defaultUser, expandMacros, type MacroNames, withNames } from './lore/macros.ts';
export { checkPersona, type PersonaInput, parsePersona, personaSchema } from './parse.ts';
export type * from './persona.ts';
export { chiSquare, type Fit, upperGamma } from './population/fit.ts';
export { type PersonaSample, type SampleOptions, type SampleReport, sampleAttributes, samplePopulation } from './population/sample.ts';
export {
  type Constraint,
  type Joint,
  type Margin,
  type Microdata,
  type MicrodataFile,
  type Population,
  type PopulationFilter,
  type Quota,
  readSpecification,
  type Specification,
} from './population/specification.ts';
export { kish, rakeWeights, type SampleWeights, standardisedDifference } from './population/weights.ts';
export { sentences, statementLine, traitWords } from './prose.ts';
export { type Bucket, type RenderOptions, renderPersona, type Section, textOfBuckets } from './render.ts';
export { addresseeText, type CastScene, readScene } from './scene.ts';
export { slug } from './slug.ts';
export { levelOf, mayKnow, type PersonaView, privateTexts, type Viewer, type VisibilityLevel, visibleTo } from './visibility.ts';
