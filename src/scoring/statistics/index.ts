/** @file The statistics: pure functions that compute estimates with their uncertainty. */

export * from './aggregate.ts';
export * from './agreement.ts';
export * from './bootstrap.ts';
export * from './calibration.ts';
export * from './compare.ts';
export * from './correlation.ts';
export * from './distributions.ts';
export * from './estimator.ts';
export * from './inequality.ts';
export * from './krippendorff.ts';
export * from './length.ts';
export * from './logistic.ts';
export * from './mean.ts';
export * from './multiple.ts';
export * from './paired.ts';
export * from './pass.ts';
export * from './peeking.ts';
export * from './power.ts';
export * from './rates.ts';
export { scopeText } from './verdict.ts';
