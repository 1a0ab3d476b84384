// Before each test file: what tests of the whole product write is on the disk, where it is flushed for real; that of others in memory.
import { expect } from 'vitest';
import { memoryFolder } from './memory-folder.ts';

const isWhole = expect.getState().testPath?.includes('/e2e/');
process.env.TMPDIR = isWhole ? process.env.WEFT_TEST_DISK_FOLDER : memoryFolder();
