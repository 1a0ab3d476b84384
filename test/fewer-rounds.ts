// Before each test file: properties that do not say how often they are tried.
import fc from 'fast-check';
import { rounds } from './rounds.ts';

fc.configureGlobal({ numRuns: rounds(100) });
