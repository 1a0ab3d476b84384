// Regenerates the dashboard's typed list of operations from the OpenAPI document.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { clientTypes, type OpenApi } from './client-types.ts';
import { interfaceDocuments } from './interface-documents.ts';

const { openApi } = await interfaceDocuments();
const target = resolve(import.meta.dirname, '..', 'dashboard', 'src', 'api', 'operations.ts');
writeFileSync(target, clientTypes(openApi as unknown as OpenApi));
