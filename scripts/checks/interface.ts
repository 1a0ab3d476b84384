// Holds both interface documents against the validators of their readers (interface-rules.ts).
import { interfaceDocuments } from '../interface-documents.ts';
import { interfaceProblems } from './interface-rules.ts';

const problems = await interfaceProblems(await interfaceDocuments());
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
