import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import { docxOf, pdfOf, wordParagraph } from '../../archive/media/documents.testkit.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { postgresEngine } from '../../store/postgres/testkit/store.testkit.ts'
import { sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'
import { withStage } from './stage.testkit.ts'

usePostgres()

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const wordDocument = (...lines: string[]): Buffer => docxOf(lines.map((line) => wordParagraph(line)).join(''))

for (const engine of [sqliteEngine, postgresEngine]) {
  describe(`documents other than pages (${engine.name})`, () => {
    test(
      'are matched by their text, and annotations show the changed text',
      withStage(engine, async ({ uri, put, serve }) => {
        await put(profileOf('prices', 'ann@example.org', [sourceOf(uri)], { butter: 1 }, { match: 'change' }))
        const type = 'application/pdf'
        const [first] = await serve(pdfOf([{ lines: ['Bread is two.', '', 'Butter is three.'] }]), { type })
        assert.equal(first!.kind, 'new')
        assert.deepEqual(await serve(pdfOf([{ lines: ['Bread is four.', '', 'Butter is three.'] }]), { type }), [])
        const [changed] = await serve(pdfOf([{ lines: ['Bread is four.', '', 'Butter is five.'] }]), { type })
        assert.deepEqual(
          changed!.changes.list.map(({ kind, before, after }) => [kind, before, after]),
          [['changed', 'Butter is three.', 'Butter is five.']],
        )
      }),
    )

    test(
      'show a change of a table as the row with its column names',
      withStage(engine, async ({ uri, put, serve }) => {
        await put(profileOf('table', 'ann@example.org', [sourceOf(uri)], {}))
        const type = 'text/csv'
        await serve('name,price,stock\nKettle,30,4\nPan,20,7\n', { type })
        const [changed] = await serve('name,price,stock\nKettle,35,4\nPan,20,7\n', { type })
        assert.equal(changed!.changes.list.length, 1)
        assert.match(changed!.changes.list[0]!.after!, /name: Kettle\s+price: 35\s+stock: 4/)
      }),
    )

    test(
      'are kept if unreadable, and the next readable version is reported',
      withStage(engine, async ({ uri, put, serve, history }) => {
        await put(profileOf('words', 'ann@example.org', [sourceOf(uri)], { butter: 1 }))
        assert.deepEqual(await serve(Buffer.from('PK no document'), { type: docx }), [])
        assert.equal((await serve(wordDocument('Butter'), { type: docx })).length, 1)
        assert.deepEqual(
          (await history()).map(({ body }) => body),
          ['kept', 'kept'],
        )
      }),
    )
  })
}
