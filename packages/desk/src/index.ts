/** @file The public entry. Tests a customer-service bot before its release: desks, customers, detectors of faults, and a gate. */

import './kinds.ts';
