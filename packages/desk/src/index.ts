/** @file The public entry point: tests a customer-service bot before its release, with desks, customers, fault detectors, and a gate. */

import './kinds.ts';
