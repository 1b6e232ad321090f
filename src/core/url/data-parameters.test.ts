import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandParameters } from './data-parameters.ts'

const keywords = ['red lamp', 'a&b"#']
const inUrl = encodeURIComponent('red lamp a&b"#')

test('inserts keywords into queries and bodies with the right escaping', () => {
  const expand = (uri: string) => expandParameters(uri, { keywords })
  assert.equal(expand('https://h/?q={keywords}&x=1#{keywords}'), `https://h/?q=${inUrl}&x=1#{keywords}`)
  assert.equal(expand('query+https://h/?q=%7Bkeywords%7D#rows=$[*]'), `query+https://h/?q=${inUrl}#rows=$[*]`)
  const form = new URL(expand('query+https://h/#rows=$[*]&body=q%3D{keywords}%26n%3D1')).hash
  assert.equal(new URLSearchParams(new URLSearchParams(form.slice(1)).get('body')!).get('q'), 'red lamp a&b"#')
  for (const given of [
    'body=%7B%22q%22%3A%22{keywords}%22%7D',
    'type=json&body=%7B%22q%22%3A%22%7Bkeywords%7D%22%7D',
  ]) {
    const json = new URL(expand(`query+https://h/#rows=$[*]&${given}`)).hash
    assert.deepEqual(JSON.parse(new URLSearchParams(json.slice(1)).get('body')!), { q: 'red lamp a&b"#' })
  }
})

test('leaves other places, other schemes and addresses without the parameter unchanged', () => {
  for (const uri of [
    'https://h/{keywords}',
    'https://h/?q=keywords',
    'query+https://h/#rows={keywords}',
    "postgres://h/d?query=SELECT '{keywords}'",
    'not a URL {keywords}',
  ])
    assert.equal(expandParameters(uri, { keywords: ["x' OR 1"] }), uri)
})

test('throws without keywords, and cuts a long list between two keywords', () => {
  assert.throws(() => expandParameters('https://h/?q={keywords}', { keywords: [] }), { code: 'url-invalid' })
  const many = expandParameters('https://h/?q={keywords}', {
    keywords: Array.from({ length: 200 }, (_, at) => `word${at}`),
  })
  const text = new URL(many).searchParams.get('q')!
  assert.ok(text.length <= 500 && /^(?:word\d+ ?)+$/.test(text))
})
