import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createFileShelf } from '../../cli/change-shelf.ts';

it('a shelf gives the changes of each item in their order, and leaves no file', () => {
  const before = readdirSync(tmpdir());
  const shelf = createFileShelf();
  const changes = Array.from({ length: 3000 }, (_, index) => ({
    time: '2027-01-15T08:00:00Z',
    actor: `ada \u{1f600} ${index}`,
    action: 'client.update',
    subject: `client_${index % 7}`,
    before: undefined,
    after: { text: randomUUID().repeat(20) },
    isCertain: true,
  }));
  for (const [index, change] of changes.entries()) {
    shelf.put(change.subject, change);
    if (index === 10) expect(shelf.take('client_3')).toEqual([changes[3], changes[10]]);
  }
  for (let item = 0; item < 7; item++) {
    const own = changes.filter(({ subject }) => subject === `client_${item}`);
    expect(shelf.take(`client_${item}`)).toEqual(own);
  }
  expect(shelf.take('client_8')).toEqual([]);
  const made = readdirSync(tmpdir()).filter((name) => !before.includes(name));
  expect(made.filter((name) => name.startsWith('authctl-'))).toEqual([]);
  shelf.close();
});
