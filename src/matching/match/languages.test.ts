import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createWorkBudget } from '../../core/work/work-budget.ts'
import { explain } from '../explain/explanation.ts'
import { compileInterests } from '../interests/compile-interests.ts'
import { readDocument } from '../terms/document-terms.ts'
import { relevanceOf } from './evaluate.ts'
import { createMatchIndex } from './match-index.ts'
import { noInterests } from './naive-match.testkit.ts'

/** The text with the first occurrence of a keyword in brackets; null if it isn't found. The index must agree. */
function found(key: string, text: string, { stemming = '', language = '' } = {}): string | null {
  const interests = compileInterests({ ...noInterests, keywords: [{ key, weight: 1 }], stemming })
  const document = readDocument({ url: '', title: '', text, language })
  const index = createMatchIndex()
  index.set(1, interests)
  const relevance = relevanceOf(interests, document)
  assert.equal(index.match(document).length, relevance === null ? 0 : 1, `the index and ${key}`)
  if (relevance === null) return null
  const { places } = explain(interests, document, relevance, createWorkBudget()).explanation.terms[0]!
  const { start, end } = places[0]!
  return `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`
}

describe('a word with an umlaut', () => {
  test('matches the spellings without the umlaut and with an e', () => {
    assert.equal(found('Müller', 'Herr Mueller kommt'), 'Herr [Mueller] kommt')
    assert.equal(found('Mueller', 'Herr Müller kommt'), 'Herr [Müller] kommt')
    assert.equal(found('Muller', 'Herr Müller kommt'), 'Herr [Müller] kommt')
    assert.equal(found('mueller', 'Familie Müllers', { stemming: 'de' }), 'Familie [Müllers]')
    assert.equal(found('Herr Mueller', 'Herr Müller'), '[Herr Müller]')
  })

  test('does not affect other words with the letters oe', () => {
    assert.equal(found('pot', 'a poet'), null)
    assert.equal(found('poet', 'a pot'), null)
  })
})

describe('letters with marks that are letters of their alphabet', () => {
  test('are compared including their marks', () => {
    assert.equal(found('мой', 'вот мои дела'), null)
    assert.equal(found('мой', 'вот мои\u0306 дом'), 'вот [мои\u0306] дом')
  })
})

describe('Arabic', () => {
  test('words are found with and without the article', () => {
    assert.equal(found('كتاب', 'هذا الكتاب جديد'), 'هذا [الكتاب] جديد')
    assert.equal(found('الكتاب', 'هذا كتاب جديد'), 'هذا [كتاب] جديد')
  })

  test('digits match ASCII digits', () => assert.equal(found('2024', 'عام ٢٠٢٤'), 'عام [٢٠٢٤]'))
})

describe('scripts without spaces', () => {
  const sentences: Record<string, string> = {
    Chinese: '国务院总理昨日在北京大学生活动中心会见了来自全国各地的研究生代表并发表重要讲话',
    Japanese: '東京都知事は昨日の記者会見で、来年度の予算案についてコンピューターを使って説明しました',
    Thai: 'นายกรัฐมนตรีเดินทางไปเชียงใหม่เพื่อเปิดโรงพยาบาลแห่งใหม่เมื่อวานนี้',
  }
  const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
  for (const [language, sentence] of Object.entries(sentences))
    test(`every part of a sentence in ${language} is found in it`, () => {
      const characters = Array.from(graphemes.segment(sentence), ({ segment }) => segment)
      for (let from = 0; from < characters.length; from++)
        for (let length = 1; length <= 6 && from + length <= characters.length; length++) {
          const key = characters.slice(from, from + length).join('')
          if (key.includes('、')) continue
          assert.ok(found(key, sentence)?.includes(`[${key}]`), key)
        }
    })

  test('match exact strings, ignoring spaces and character widths', () => {
    assert.equal(found('北京', '北上，京城'), null)
    assert.equal(found('北京', '北\u200b京'), '[北\u200b京]')
    assert.equal(found('iPhone手机', '新 iPhone 手机'), '新 [iPhone 手机]')
    assert.equal(found('ｶﾞｽ', '都市ガス料金'), '都市[ガス]料金')
  })

  test('traditional and simplified characters match with Chinese stemming', () => {
    assert.equal(found('台湾', '臺灣新聞'), null)
    assert.equal(found('台湾', '臺灣新聞', { stemming: 'zh' }), '[臺灣]新聞')
    assert.equal(found('臺灣', '台湾新闻', { stemming: 'auto', language: 'zh-Hans' }), '[台湾]新闻')
  })
})

describe('automatic stemming', () => {
  const stemming = 'auto'
  test('uses the language that the page declares', () => {
    assert.equal(found('houses', 'one house', { stemming, language: 'en' }), 'one [house]')
    assert.equal(found('Häuser', 'des Hauses', { stemming, language: 'de' }), 'des [Hauses]')
    assert.equal(found('Zeitung', 'alle Zeitungen', { stemming, language: 'de-AT' }), 'alle [Zeitungen]')
    assert.equal(found('новость', 'все новости', { stemming, language: 'ru' }), 'все [новости]')
  })

  test('compares whole words if there is no stemmer for the language', () => {
    assert.equal(found('houses', 'one house', { stemming, language: 'xx' }), null)
    assert.equal(found('house', 'one house', { stemming, language: 'xx' }), 'one [house]')
  })

  test('detects the language if the page declares none', () => {
    const text = 'Die Zeitungen schreiben, dass der Preis und die Steuern nicht sinken werden'
    assert.ok(found('Zeitung', text, { stemming })?.includes('[Zeitungen]'))
  })
})
