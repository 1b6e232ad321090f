import { type ClipboardEvent, type Ref, useId, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Form } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { splitAddresses } from './addresses.ts'
import { strings } from './strings.ts'
import type { AddError } from './use-added.ts'

type Props = {
  ref: Ref<HTMLInputElement>
  errors: readonly AddError[]
  notice: string
  onAdd: (addresses: string[]) => Promise<readonly AddError[]>
}

export function QuickAdd({ ref, errors, notice, onAdd }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const count = splitAddresses(text).length

  function submit() {
    if (count === 0) return
    setText('')
    void onAdd(splitAddresses(text)).then((failed) => {
      // Rejected addresses come back to be corrected, unless something else was typed meanwhile.
      setText((now) => (now === '' ? failed.map(({ uri }) => uri).join(' ') : now))
    })
  }

  /** An input drops line breaks, and with them the boundaries between addresses: turn them into spaces. */
  function paste(event: ClipboardEvent<HTMLInputElement>) {
    const pasted = event.clipboardData.getData('text')
    if (!/[\r\n]/.test(pasted.trim())) return
    event.preventDefault()
    const { selectionStart, selectionEnd } = event.currentTarget
    const before = text.slice(0, selectionStart ?? text.length)
    const after = text.slice(selectionEnd ?? text.length)
    setText(`${before}${pasted.trim().replace(/\s+/g, ' ')}${after}`)
  }

  return (
    <Form className="kit-card quick-add" onSubmit={submit}>
      <label className="quick-add-label" htmlFor={id}>
        {strings.add.label}
      </label>
      <Input
        ref={ref}
        id={id}
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder={strings.add.example}
        aria-describedby={`${id}-notice`}
        aria-invalid={errors.length > 0}
        value={text}
        onChange={setText}
        onPaste={paste}
      />
      <Button label={strings.add.submit(count)} type="submit" variant="primary" icon="plus" disabled={count === 0} />
      <div id={`${id}-notice`} className="small break quick-add-notice" role="status">
        {errors.map(({ uri, message }) => (
          <p key={uri} className="kit-field-error">
            <strong>{uri}</strong>: {message}
          </p>
        ))}
        {notice !== '' && <p className="soft">{notice}</p>}
      </div>
    </Form>
  )
}
