import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { createHostResolver, parseHostRules } from './host-rules.ts'

function resolve(rules: string, host: string): string {
  return createHostResolver(parseHostRules(rules))(host)
}

describe('host rules', () => {
  it('read the example of the LARM paper', () => {
    const rules = `
      #hostResolver.properties
      ! another comment
      startsWith(www.)=
      startsWith(www2.) =
      startsWith(w3.)=
      endsWith(.somehost.com)=.somhost2.com
      synonym(daedalus.apache.org) = apache.org
    `
    assert.equal(resolve(rules, 'www.cnn.com'), 'cnn.com')
    assert.equal(resolve(rules, 'cnn.com'), 'cnn.com')
    assert.equal(resolve(rules, 'w3.a.somehost.com'), 'a.somhost2.com')
    assert.equal(resolve(rules, 'www2.daedalus.apache.org'), 'apache.org')
  })

  it('are applied in the order startsWith, endsWith, synonym, regardless of line order', () => {
    const rules = 'synonym(a.two.example)=b.example\nendsWith(.one.example)=.two.example\nstartsWith(www.)='
    assert.equal(resolve(rules, 'www.a.one.example'), 'b.example')
  })

  it('prefer the longest match and apply it once', () => {
    const rules = 'startsWith(w)=x\nstartsWith(www.)=\nsynonym(a)=b\nsynonym(b)=c'
    assert.equal(resolve(rules, 'www.www.example'), 'www.example')
    assert.equal(resolve(rules, 'wide.example'), 'xide.example')
    assert.equal(resolve(rules, 'a'), 'b')
  })

  it('treat commas as dots, ignore case and accept internationalised names', () => {
    assert.equal(resolve('startsWith(www,)=\nSynonym(a)=b'.split('\n')[0]!, 'www.example.org'), 'example.org')
    assert.equal(resolve('synonym(A,example.org) : B.Example,org', 'a.example.org'), 'b.example.org')
    assert.equal(resolve('synonym(bücher.example)=books.example', 'xn--bcher-kva.example'), 'books.example')
  })

  it('never produce an empty host', () => {
    assert.equal(resolve('startsWith(www.)=', 'www.'), 'www.')
    assert.equal(resolve('endsWith(example)=', 'example'), 'example')
    assert.equal(resolve('startsWith(www.)=\nstartsWith(w)=v', 'www.'), 'vww.')
  })

  it('report all invalid lines together', () => {
    const text =
      'startsWith(www.)=\nnonsense\nStartsWith(x)=\nsynonym()=a\nsynonym(a)=\nsynonym(b)=c/d\r\nstartsWith(www.)=x'
    assert.throws(
      () => parseHostRules(text),
      (error) => {
        assert.ok(isAppError(error, 'file-invalid'))
        for (const line of [2, 3, 4, 5, 6, 7]) assert.match(error.message, new RegExp(`line ${line}: `))
        assert.doesNotMatch(error.message, /line 1:/)
        return true
      },
    )
  })

  it('handle 50,000 rules', () => {
    const lines = Array.from({ length: 50_000 }, (_, n) => `synonym(h${n}.example)=c${n}.example`)
    const apply = createHostResolver(parseHostRules(lines.join('\n')))
    for (let n = 0; n < 50_000; n++) assert.equal(apply(`h${n}.example`), `c${n}.example`)
  })
})
