// `weft notes`: what people on duty tell one another.
import type { Note } from '@weft/contract/operations';
import { type Command, printResult } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { CommandFailure } from '../surroundings.ts';
import { printList } from '../table.ts';

export const notesCommand: Command = {
  summary: 'list the notes of people on duty, write and remove them',
  usage: ['notes [--wide] [--iso] [--json]', 'notes add NAME TEXT [--json]', 'notes remove NAME [--json]'],
  about: identityHelp,
  options: listOptions,
  examples: ['notes', 'notes add hall "The key is at the desk"'],
  async run(line, around) {
    const [action, name, text] = line.words;
    const app = connect(line, around);
    if (action === 'add') {
      const note = await app.request('POST', '/api/v1/notes', { json: { name, text } });
      return printResult(note, `${name} is noted.`, line, around);
    }
    const notes = await app.notes().toArray();
    const toRow = (note: Note) => [note.name, note.text];
    if (action === undefined) {
      return printList(notes, { none: 'There are no notes.', head: ['NAME', 'TEXT'], toRow }, line, around);
    }
    const note = notes.find((each) => each.name === name);
    if (!note) throw new CommandFailure(`There is no note ${name}. weft notes lists them.`);
    await app.request('DELETE', `/api/v1/notes/${note.id}`);
    printResult(note, `${name} is removed.`, line, around);
  },
};
