import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { prescan } from './meta-prescan.ts'

function labelIn(page: string, end = page.length): string | undefined {
  return prescan(Buffer.from(page, 'latin1'), end, (label) => (label === '' ? undefined : label))
}

describe('prescan of a page for its encoding label', () => {
  const cases: readonly (readonly [page: string, label: string | undefined])[] = [
    ['<meta charset=a>', 'a'],
    ['<META/CHARSET="a">', 'a'],
    ['<meta name="x>y" charset=\'a\'>', 'a'],
    ['<meta http-equiv=Content-Type content="text/html; charset=a">', 'a'],
    ['<meta content="text/html; charset=a">', undefined],
    ['<meta charset charset=a><meta charset=b>', 'b'],
    ['<!-- <meta charset=a> --><meta charset=b>', 'b'],
    ['<!--><meta charset=a>', 'a'],
    ['<p title="<meta charset=a>"><meta charset=b>', 'b'],
    ['<p = "<meta charset=a>"><meta charset=b>', 'b'],
    ['</p title="<meta charset=a>"><meta charset=b>', 'b'],
    ['<? <meta charset=a> <meta charset=b>', 'b'],
    ['<metal charset=a>', undefined],
    ['<p title="<meta charset=a>', undefined],
    ['< <meta charset=a>', 'a'],
  ]
  for (const [page, label] of cases) test(page, () => assert.equal(labelIn(page), label))

  test('stops at the given end', () => {
    const page = '<meta charset=a>'
    for (let end = 0; end < page.length; end++) assert.equal(labelIn(page, end), undefined)
  })
})
