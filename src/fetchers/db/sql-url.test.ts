import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSqlProtocol } from './sql-protocol.ts'

const { normalise } = createSqlProtocol({ roots: ['/data'] })
const queryOf = (url: string): string => new URL(url).searchParams.get('query')!

test('source URLs are normalised', () => {
  const one = 'postgres://db.example.org/shop?query=SELECT%20*%20FROM%20goods&key=id,nr&title=name&sslmode=require'
  const same = normalise(one)
  assert.equal(
    same,
    'postgres://db.example.org/shop?query=SELECT%20*%20FROM%20goods&key=id,nr&title=name&sslmode=require',
  )
  for (const url of [
    same,
    'postgresql://DB.Example.ORG:5432/shop?sslmode=require&key=id, nr&title=name&query=SELECT+*+FROM+goods;',
    'postgres://db.example.org/shop?title=name&query=SELECT * FROM goods%3B %20&key=id,nr&sslmode=require',
  ])
    assert.equal(normalise(url), same)
  for (const url of [
    same,
    normalise('mariadb://h:3307/d?query=SELECT%201'),
    normalise('sqlite:///data/a b.db?query=SELECT 1'),
  ])
    assert.equal(URL.parse(url)?.href, url)
  assert.equal(normalise('mariadb://h:3306/d?query=SELECT%201'), 'mysql://h/d?query=SELECT%201')
  assert.equal(normalise('mysql://[::1]:3307/d?query=SELECT%201'), 'mysql://[::1]:3307/d?query=SELECT%201')
})

test('a plus means a space, unless the query contains spaces in another encoding', () => {
  assert.equal(queryOf(normalise('mysql://h/d?query=SELECT a+b FROM t')), 'SELECT a+b FROM t')
  assert.equal(queryOf(normalise('mysql://h/d?query=SELECT+a%2Bb+FROM+t')), 'SELECT a+b FROM t')
})

test('strings, quoted names and comments may contain semicolons and keywords', () => {
  for (const url of [
    "postgres://h/d?query=SELECT ';' || $x$;'$x$ || E'\\';' AS \"a;b\" /* ; /* ; */ */ -- ;",
    "mysql://h/d?query=SELECT 'it\\'s; INTO' AS `a;b` /* ; INTO */ -- ;",
    'sqlite:///data/a.db?query=SELECT [a;b], `c;d` FROM t /* ;',
    'postgres://h/d?query=(SELECT 1) UNION (SELECT 2)',
    'postgres://h/d?query=-- first%0ATABLE goods',
    'postgres://h/d?query=VALUES (1)%3B -- the end',
  ])
    assert.equal(normalise(normalise(url)), normalise(url), url)
})

test('invalid URLs and queries that do not only read are refused with a reason', () => {
  const refused = (url: string, code: string, message: RegExp) =>
    assert.throws(() => normalise(url), { code, message }, url)
  refused('postgres://h/d', 'url-invalid', /query is missing/)
  refused('postgres://h/d?query= ', 'url-invalid', /query is missing/)
  refused(
    'postgres://h/d?query=SELECT 1&qey=id',
    'url-invalid',
    /unknown parameter "qey"; use query, key, title, sslmode/,
  )
  refused('postgres://h/d?query=SELECT 1&query=SELECT 2', 'url-invalid', /query is there twice/)
  refused('postgres:///d?query=SELECT 1', 'url-invalid', /host of the database/)
  refused('postgres://h/?query=SELECT 1', 'url-invalid', /name of the database is missing/)
  refused('postgres://h/d?query=SELECT 1#row=1', 'url-invalid', /%23/)
  refused('postgres://h/d?query=SELECT %00 1', 'url-invalid', /control characters/)
  refused('postgres://h/d?query=SELECT a\nFROM b', 'url-invalid', /%0A/)
  refused('postgres://h/d?query=SELECT 1&key=id%0D%0A', 'url-invalid', /empty name|control/)
  refused('postgres://h/d?query=SELECT 100 % 3', 'url-invalid', /%25/)
  refused('postgres://h/d?query=SELECT 1&sslmode=none', 'url-invalid', /sslmode/)
  refused('postgres://ann:secret@h/d?query=SELECT 1', 'url-invalid', /leave user and password out/)
  refused(`postgres://h/d?query=SELECT ${'1,'.repeat(5001)}1`, 'query-refused', /longer than 10000/)
  refused("postgres://h/d?query=SELECT 'x", 'query-refused', /quotation mark/)
  refused('postgres://h/d?query=SELECT 1; SELECT 2', 'query-refused', /one statement/)
  refused('postgres://h/d?query=SELECT 1 /* x', 'query-refused', /comment has no end/)
  refused(
    'postgres://h/d?query=UPDATE t SET a = 1',
    'query-refused',
    /begin with SELECT, WITH, VALUES, TABLE, not UPDATE/,
  )
  refused('postgres://h/d?query=/* SELECT */ DROP TABLE t', 'query-refused', /not DROP/)
  refused('postgres://h/d?query=SHOW ALL', 'query-refused', /not SHOW/)
  refused("mysql://h/d?query=SELECT 1 INTO OUTFILE '/tmp/x'", 'query-refused', /no INTO/)
  refused("mysql://h/d?query=SELECT 1 /*!INTO OUTFILE '/tmp/x'*/", 'query-refused', /run as SQL/)
  refused('mysql://h/d?query=SELECT 1 FROM t FOR UPDATE', 'query-refused', /lock rows/)
  refused('mysql://h/d?query=SELECT NEXT VALUE FOR s', 'query-refused', /sequence/)
  refused('sqlite://host/data/a.db?query=SELECT 1', 'url-invalid', /three slashes/)
  refused('sqlite:///data/?query=SELECT 1', 'url-invalid', /path of the file is missing/)
  refused('sqlite:///data/a%00.db?query=SELECT 1', 'url-invalid', /control characters/)
  refused('sqlite:///etc/a.db?query=SELECT 1', 'url-invalid', /outside/)
})

test('error messages do not contain the password', () => {
  assert.throws(
    () => normalise('postgres://ann:s3cret@h/d?query=SELECT 1'),
    (error: Error) => !error.message.includes('s3cret'),
  )
})
