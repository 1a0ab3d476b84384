// Notifications of this browser when alarms begin to fire.
import { useState } from 'preact/hooks';
import { chooseNotices, type NoticeChoice, noticeChoice, noticeProblem } from '../../shell/alarm-notices.ts';
import { settingsText } from '../../text/settings.ts';
import { Choices } from './choices.tsx';

export function NoticesCard() {
  const text = settingsText.notices;
  // The browser does not say when its permission changes.
  const [problem, setProblem] = useState(noticeProblem());
  const choose = async (choice: NoticeChoice) => {
    await chooseNotices(choice);
    setProblem(noticeProblem());
  };
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      <Choices<NoticeChoice>
        label={text.label}
        value={problem === undefined ? noticeChoice.value : 'off'}
        options={text.choices}
        isDisabled={problem === 'unsupported'}
        onChange={choose}
      />
      <p class="faint small">{problem === undefined ? text.words : text[problem]}</p>
    </section>
  );
}
