import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { findStemmer, stemmedLanguages } from './stemmers.ts'

const stemmed = (language: string, words: string): string => words.split(' ').map(findStemmer(language)!).join(' ')

describe('English stems', () => {
  const examples: [words: string, stems: string][] = [
    ['consist consisted consistency consistent consisting consists', 'consist consist consist consist consist consist'],
    ['knack knacks knead kneading kneel knightly', 'knack knack knead knead kneel knight'],
    ['caresses flies dies mules denied agreed owned', 'caress fli die mule deni agre own'],
    ['hopping hoping tanned falling hissing fizzed failing filing', 'hop hope tan fall hiss fizz fail file'],
    ['happy sky cry by say enjoy', 'happi sky cri by say enjoy'],
    ['relational conditional rational digitizer conformably radically', 'relat condit ration digit conform radic'],
    ['vietnamization predication operator feudalism hopefulness', 'vietnam predic oper feudal hope'],
    ['triplicate formative formalize electrical goodness', 'triplic format formal electr good'],
    ['revival allowance inference airliner adjustable', 'reviv allow infer airlin adjust'],
    ['generate general generously communism arsenal', 'generat general generous communism arsenal'],
    ['skies dying news inning proceed succeeding', 'sky die news inning proceed succeed'],
    ['probate rate cease controll roll', 'probat rate ceas control roll'],
    ['youth boyish saying yes', 'youth boyish say yes'],
    ['organ organic organizer', 'organ organic organiz'],
    ['universe universal university', 'univers universal universiti'],
    ['emerge emergency later laterally past pasted', 'emerg emergenc later lateral past paste'],
    ['adding eggs egged hugged evening vying', 'add egg egg hug evening vie'],
    ['biologist biology', 'biolog biolog'],
    ["today's parents' 'quoted'", 'today parent quot'],
  ]
  for (const [words, stems] of examples) test(`of ${words}`, () => assert.equal(stemmed('en', words), stems))

  test('of names of Object.prototype members such as "constructor"', () => {
    assert.equal(
      stemmed('en', 'constructor valueof tostring hasownproperty prototype'),
      'constructor valueof tostr hasownproperti prototyp',
    )
  })

  test('leave words with other characters than English letters unchanged', () => {
    assert.equal(stemmed('en', 'größing 東京s c++ ab'), 'grossing 東京s c++ ab')
  })
})

describe('stems of other languages', () => {
  const families: Record<string, string[]> = {
    de: [
      'prophet propheten',
      'müller mueller müllers',
      'preis preise preises preisen',
      'zeitung zeitungen',
      'neue neuer neues neuen',
    ],
    fr: [
      'prix',
      'journal journaux',
      'grande grandes grand',
      'genou genoux',
      'japonais japonaise japonaises',
      'mauvais mauvaise mauvaises',
      "l'école école",
    ],
    es: [
      'precio precios',
      'nuevo nueva nuevos nuevas',
      'animal animales',
      'economía economías',
      'educación educacion educaciones',
    ],
    it: ['prezzo prezzi', 'nuovo nuova nuovi nuove', "acqua dell'acqua", 'divano divani'],
    lt: ['kompiuteris kompiuteriai kompiuterį', 'moteris moterys moterų'],
    pt: ['livro livros', 'novo nova novos novas', 'avião'],
    nl: [
      'krant kranten',
      'boek boeken boekje',
      'been benen',
      'werk werkt werken gewerkt gewerkte',
      'overgedragen overdragen',
      'mogelijkheid mogelijkheden mogelijk mogelijke',
      "foto foto's",
    ],
    cs: ['kniha knihy knihou knihách', 'článek článku články článkům', 'konec konce konci koncem', 'plzeň plzně plzní'],
    pl: [
      'nowy nowego nowym nowymi',
      'słoń słonia słoniem słoniami',
      'czytał czytała czytałbym czytającym',
      'lepszy lepsza lepszą',
    ],
    sv: ['tidning tidningar tidningen', 'hus huset husets'],
    fi: ['talo talossa talosta'],
    tr: ['kitap kitaplar', "ankara ankara'nın"],
    no: ['avis aviser avisers'],
    ro: ['știre ştire'],
    ar: ['كتاب الكتاب'],
    zh: ['东 東', '台 臺'],
    ru: ['новость новости новостью', 'красный красная красное красные'],
  }
  for (const [language, lists] of Object.entries(families))
    for (const list of lists)
      test(`in ${language} are the same for ${list}`, () => {
        assert.equal(new Set(stemmed(language, list).split(' ')).size, 1)
      })

  const strangers: Record<string, string[]> = {
    de: ['prophet proph'],
    fr: ['palais pal'],
    it: ['diva divano'],
    lt: ['lageriai lagas'],
    no: ['univers univ', 'østers øst'],
    tr: ["o'connor o'hara"],
    nl: ['schilderij schild', 'gevaar varen', 'innig in', 'geval vallen', 'geënt en'],
    cs: ['finance finka', 'zvíře deset'],
    pl: ['był byk', 'noszą nowszą'],
  }
  for (const [language, lists] of Object.entries(strangers))
    for (const list of lists)
      test(`in ${language} differ for ${list}`, () => {
        assert.equal(new Set(stemmed(language, list).split(' ')).size, 2)
      })

  test('are never empty, for any word', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...stemmedLanguages),
        fc.string({ minLength: 1, maxLength: 64 }),
        (language, word) => {
          assert.notEqual(findStemmer(language)!(word), '')
        },
      ),
    )
  })
})
