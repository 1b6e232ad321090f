import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { DiffPiece, TextDiff } from '../../core/reports/history-report.ts'
import { createDiffBudget } from './sequence-diff.ts'
import { diffTexts, type TextDiffOptions } from './text-diff.ts'

const everything = 1_000_000

function byLines(old: string, next: string, context = everything): TextDiff {
  return diffTexts(old, next, { form: 'lines', context })
}

function side(diff: TextDiff, left: DiffPiece['kind']): string[] {
  return diff.hunks.flatMap(({ pieces }) => pieces.filter(({ kind }) => kind !== left).map(({ text }) => text))
}

function words(old: string, next: string): string {
  const { hunks } = diffTexts(old, next, { form: 'words', context: 1 })
  const marked = hunks.flatMap(({ pieces }) => pieces.map(marks))
  return marked.join('')
}

function marks({ kind, text }: DiffPiece): string {
  return kind === 'same' ? text : kind === 'added' ? `{${text}}` : `[${text}]`
}

/** Reproducible pseudo-random numbers. */
function createDraw() {
  let state = 1
  return (limit: number): number => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return (state >>> 8) % limit
  }
}

describe('diff by lines', () => {
  test('reproduces both texts with any work budget', () => {
    const line = fc.constantFrom('a', 'b', 'c', 'd e', '', 'f g h')
    const text = fc.array(line, { maxLength: 40 })
    fc.assert(
      fc.property(text, text, fc.constantFrom(1, 30, 200, 400_000_000), (old, next, work) => {
        const options: TextDiffOptions = { form: 'lines', context: everything, budget: createDiffBudget(work) }
        const diff = diffTexts(`${old.join('\n')}\n`, `${next.join('\n')}\n`, options)
        if (diff.hunks.length === 0) return assert.equal(`${old.join('\n')}\n`, `${next.join('\n')}\n`)
        assert.deepEqual(side(diff, 'added').join('\n'), old.join('\n'))
        assert.deepEqual(side(diff, 'removed').join('\n'), next.join('\n'))
      }),
      { numRuns: 500 },
    )
  })

  test('has hunks with their line numbers and the requested context', () => {
    const old = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`)
    const next = old.with(4, 'five').toSpliced(15, 1)
    const { hunks, lines } = byLines(old.join('\n'), next.join('\n'), 2)
    assert.deepEqual(
      hunks.map(({ pieces: _, ...place }) => place),
      [
        { fromLine: 3, fromCount: 5, toLine: 3, toCount: 5 },
        { fromLine: 14, fromCount: 5, toLine: 14, toCount: 4 },
      ],
    )
    assert.deepEqual(hunks[0]!.pieces[2], { kind: 'removed', text: 'line 5' })
    assert.deepEqual(hunks[0]!.pieces[3], { kind: 'added', text: 'five' })
    assert.deepEqual(lines, { added: 1, removed: 2 })
    assert.equal(byLines(old.join('\n'), next.join('\n'), 5).hunks.length, 1)
  })

  test('starts at line 0 for an empty text', () => {
    const [hunk] = byLines('', 'a\nb').hunks
    assert.deepEqual([hunk!.fromLine, hunk!.fromCount, hunk!.toLine, hunk!.toCount], [0, 0, 1, 2])
    assert.deepEqual(byLines('', '').hunks, [])
  })

  test('ignores different line endings', () => {
    assert.deepEqual(byLines('a\r\nb\r\n', 'a\nb\n').hunks, [])
  })
})

describe('diff by words', () => {
  test('marks added and removed words', () => {
    assert.equal(words('The quick brown fox.', 'The slow brown fox jumps.'), 'The [quick]{slow} brown fox {jumps}.\n')
    assert.equal(words('one two three', 'one three'), 'one [two] three\n')
    assert.equal(words("it's so", "it's not so"), "it's {not} so\n")
    assert.equal(words('価格は百円です', '価格は千円です'), '価格は[百]{千}円です\n')
  })

  test('puts old and new words side by side, line by line', () => {
    assert.equal(
      words('Kettle\n€ 39.90\nIn stock\nend', 'Kettle\n€ 34.50\nOnly 3 left\nend'),
      'Kettle\n[€ 39.90]{€ 34.50}\n[In stock]{Only 3 left}\nend\n',
    )
  })

  test('shows the new white space without counting it', () => {
    const diff = diffTexts('a  b', 'a b', { form: 'words', context: 0 })
    assert.deepEqual(diff.words, { added: 0, removed: 0 })
    assert.deepEqual(diff.hunks[0]!.pieces, [{ kind: 'same', text: 'a b\n' }])
  })

  test('counts words but not punctuation', () => {
    assert.deepEqual(diffTexts('a b', 'a, b! c', { form: 'words', context: 0 }).words, { added: 1, removed: 0 })
  })

  test('keeps all words of either text in their order', () => {
    const text = fc.array(fc.constantFrom('a', 'bb', 'c.', '\n', 'dd', '—'), { maxLength: 30 })
    const bare = (pieces: readonly DiffPiece[], left: DiffPiece['kind']) =>
      pieces.filter(({ kind }) => kind !== left).map((piece) => piece.text.replace(/\s/g, ''))
    fc.assert(
      fc.property(text, text, (old, next) => {
        const { hunks } = diffTexts(old.join(' '), next.join(' '), { form: 'words', context: everything })
        const pieces = hunks.flatMap((hunk) => hunk.pieces)
        if (pieces.length === 0) return
        assert.equal(bare(pieces, 'added').join(''), old.join('').replace(/\s/g, ''))
        assert.equal(bare(pieces, 'removed').join(''), next.join('').replace(/\s/g, ''))
      }),
      { numRuns: 500 },
    )
  })
})

describe('hostile texts', () => {
  const draw = createDraw()
  const prose = (count: number, vocabulary: number, end: string) =>
    Array.from({ length: count }, () => `w${draw(vocabulary)}`).join(end)

  test('with nothing in common are compared exactly', () => {
    const old = Array.from({ length: 100_000 }, (_, i) => `old${i}`).join('\n')
    const next = Array.from({ length: 100_000 }, (_, i) => `new${i}`).join('\n')
    const diff = byLines(old, next)
    assert.equal(diff.coarse, false)
    assert.deepEqual(diff.lines, { added: 100_000, removed: 100_000 })
  })

  test('that differ too much are compared coarsely but correctly', () => {
    const old = prose(150_000, 2, '\n')
    const next = prose(150_000, 2, '\n')
    const diff = byLines(old, next)
    assert.equal(diff.coarse, true)
    assert.equal(side(diff, 'added').join('\n'), old)
    assert.equal(side(diff, 'removed').join('\n'), next)
  })

  test('with many changes are compared exactly if enough lines are unique', () => {
    const old = Array.from({ length: 140_000 }, (_, i) => `line ${i}\nsame`)
    const next = old.map((text, i) => (i % 4 === 0 ? 'other\nsame' : text))
    const diff = byLines(old.join('\n'), next.join('\n'))
    assert.equal(diff.coarse, false)
    assert.deepEqual(diff.lines, { added: 35_000, removed: 35_000 })
  })

  test('of one endless line, one endless word or only white space can be compared', () => {
    const long = prose(400_000, 3000, ' ')
    const changed = `${long.slice(0, 500_000)} NEW ${long.slice(500_000)}`
    assert.deepEqual(byLines(long, changed).words.removed <= 1, true)
    assert.equal(byLines(prose(400_000, 3000, ' '), long).coarse, true)
    assert.equal(byLines('x'.repeat(3_000_000), 'y'.repeat(3_000_000)).hunks.length, 1)
    assert.equal(byLines(`x${'\u0301'.repeat(1_000_000)}`, 'y').hunks.length, 1)
    assert.equal(byLines(' '.repeat(5_000_000), '\n'.repeat(5_000_000)).words.added, 0)
  })
})
