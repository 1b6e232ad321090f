import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { entriesIn } from './ftp-lines.ts'

describe('FTP listing parser', () => {
  const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
  /** Each entry in one line: kind, size, time, name. */
  const shown = (text: string, isMlsd = false) =>
    entriesIn(bytes(text), isMlsd)?.map(({ kind, size, time, name }) =>
      Buffer.from(`${kind} ${size} [${time}] ${name}`, 'latin1').toString('utf8'),
    )
  const cases: [title: string, line: string, entry: string][] = [
    ['a security label', '-rw-r--r--. 1 ann staff 12 Feb  3 04:05 a', 'file 12 [Feb  3 04:05] a'],
    ['extended attributes', 'drwxr-xr-x@ 4 ann staff 128 Feb  3  2019 a', 'folder 128 [Feb  3 2019] a'],
    [
      'a long group name',
      '-rw-r--r-- 1 ann all who may see this and are not from here at all 12 Feb 3 04:05 a',
      'file 12 [Feb 3 04:05] a',
    ],
    ['no link count', '-rw-r--r-- ann staff 12 Feb 3 04:05 a', 'file 12 [Feb 3 04:05] a'],
    ['numeric owner and group', '-rw-r--r-- 1 7 12 45 Feb 3 04:05 2020 a', 'file 45 [Feb 3 04:05] 2020 a'],
    ['a German month', '-rw-r--r-- 1 ann staff 12 Mär  3 04:05 a', 'file 12 [Mär  3 04:05] a'],
    ['a French month', '-rw-r--r-- 1 ann staff 12 févr.  3  2019 à la', 'file 12 [févr.  3 2019] à la'],
    ['a Russian month after the day', '-rw-r--r-- 1 ann staff 12  3 февр. 04:05 я', 'file 12 [3 февр. 04:05] я'],
    ['a Chinese month', '-rw-r--r-- 1 ann staff 12 12月  3  2019 文', 'file 12 [12月  3 2019] 文'],
    ['a Japanese date', '-rw-r--r-- 1 ann staff 12  2月  3日 2019年 文', 'file 12 [2月  3日 2019年] 文'],
    ['a Korean date', 'drwxr-xr-x 2 ann staff 12 2019년  2월  3일 문', 'folder 12 [2019년  2월 3일] 문'],
    ['an ISO date', '-rw-r--r-- 1 ann staff 12 2019-02-03 04:05 a', 'file 12 [2019-02-03 04:05] a'],
    ['a short ISO date', '-rw-r--r-- 1 ann staff 12 02-03 04:05 a', 'file 12 [02-03 04:05] a'],
    [
      'a full ISO time',
      '-rw-r--r-- 1 ann staff 12 2019-02-03 04:05:06.123456789 +0100 a',
      'file 12 [2019-02-03 04:05:06.123456789 +0100] a',
    ],
    ['seconds and a year', '-rw-r--r-- 1 ann staff 12 Feb  3 04:05:06 2019 a', 'file 12 [Feb  3 04:05:06 2019] a'],
    ['a year and a time', '-rw-r--r-- 1 ann staff 12 Feb 03, 2019 04:05 a', 'file 12 [Feb 03, 2019 04:05] a'],
    ['spaces around a name', '-rw-r--r-- 1 ann staff 12 Feb  3 04:05   a ', 'file 12 [Feb  3 04:05]   a '],
    ['a symbolic link', 'lrwxrwxrwx 1 ann staff 4 Feb  3 04:05 a b -> ../c', 'unsure 4 [Feb  3 04:05] a b'],
    ['a rounded size', '-rw-r--r-- 1 ann staff 1.5M Feb  3 04:05 a', 'file NaN [Feb  3 04:05] a'],
    ['NetWare rights in brackets', 'd [RWCEAFMS] ann      512 Feb  3 04:05    a b', 'folder 512 [Feb  3 04:05] a b'],
    [
      'the word "folder" instead of an owner',
      'drwxr-xr-x      folder        0 Feb  3 04:05 a',
      'folder 0 [Feb  3 04:05] a',
    ],
    ['thousands separators', '2019-02-03  04:05      1,234,567 a b', 'file 1234567 [2019-02-03 04:05] a b'],
    ['single-digit days and months', '3/2/2019  4:05 PM   <DIR>   a', 'folder 0 [3/2/2019 4:05 PM] a'],
    ['a Windows junction', '02-03-19  04:05AM   <JUNCTION>   a', 'unsure 0 [02-03-19 04:05AM] a'],
    ['an IBM i file', 'ANN   12 19/02/03 04:05:06 *STMF   a b.txt', 'file 12 [19/02/03 04:05:06] a b.txt'],
    ['an IBM i folder', 'ANN  4096 03.02.19 04:05:06 *DIR   a/', 'folder 4096 [03.02.19 04:05:06] a'],
    ['an EPLF file', '+i1.2,m1549166706,r,s12,\ta b', 'file 12 [2019-02-03T04:05:06.000Z] a b'],
    ['an EPLF folder', '+m1549166706,/,\ta', 'folder NaN [2019-02-03T04:05:06.000Z] a'],
    ['unrequested MLSD facts', 'type=file;size=12;perm=; a', 'file 12 [] a'],
  ]
  for (const [title, line, entry] of cases)
    test(`parses a line with ${title}`, () => {
      assert.deepEqual(shown(`${line}\r\n`), [entry])
      // Also between lines that say something else, and among other formats.
      assert.deepEqual(shown(`insgesamt 12\r\n${line}\r\n01-02-03 04:05 6 z\r\nls: b: Permission denied\r\n`), [
        entry,
        'file 6 [01-02-03 04:05] z',
      ])
    })

  test('recognises empty listings', () => {
    for (const text of ['', '\r\n \r\n', 'total 0\r\n', 'insgesamt 0\r\n', 'drwxr-xr-x 2 a b 1 Feb  3 04:05 .\r\n'])
      assert.deepEqual(shown(text), [], text)
  })

  test('rejects unknown formats instead of returning no entries or wrong names', () => {
    for (const text of [
      'who knows\r\n',
      ' 12   A   02-03-19  04:05   NAME\r\n',
      'total 2\r\nNAME.TXT;1   2/9   3-FEB-2019\r\n',
    ])
      assert.equal(shown(text), undefined, text)
  })

  test('parses MLSD listings', () => {
    const listed = [
      'Type=CDIR;Modify=20190203040506; /pub',
      'type=pdir; ..',
      'TYPE=Dir;modify=20190203040506; a',
      'Type=FILE;SIZE=12;Modify=20190203040506.5; b;modify=x;c',
      'type=; d e',
      ' f=g; h',
      'type=OS.UNIX=symlink;size=3; i',
      'type=file;size=1;modify=20190203040506Z; j',
      'type=file;size=1;',
      'type=file',
      'type=dir k',
      'type=file;size=4;  ',
    ]
    assert.deepEqual(shown(listed.join('\r\n'), true), [
      'folder 0 [2019-02-03T04:05:06.000Z] a',
      'file 12 [2019-02-03T04:05:06.500Z] b;modify=x;c',
      'unsure 0 [] d e',
      'unsure 0 [] f=g; h',
      'unsure 3 [] i',
      'file 1 [] j',
      'file 4 []  ',
    ])
    assert.equal(shown('-rw-r--r-- 1 ann staff 12 Feb  3 04:05 a', true), undefined)
  })

  test('parses extremely long lines quickly', () => {
    const start = performance.now()
    for (const part of [' 1', ' ', '1', ' 12 Jan 12', ' 1,  ', '=', '+,', ' 1 1x'])
      entriesIn(`-rw-r--r-- 1${part.repeat(3000)}\r\n${part.repeat(1_000_000)}\r\n`, false)
    assert.ok(performance.now() - start < 2000)
  })
})
