// Comforts for people with script. Everything works without it.

// A second click while the first one is on its way would ask for the same thing again.
for (const form of document.querySelectorAll('form[data-once]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'yes') event.preventDefault();
    form.dataset.sent = 'yes';
  });
}

// A page that comes back from the browser's memory may send again, and shows no secret again.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-once]')) delete form.dataset.sent;
});
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) secret.remove();
});

// What is typed for a choice makes the choice, and another choice clears it.
for (const group of document.querySelectorAll('fieldset')) {
  for (const text of group.querySelectorAll('.check > input:is([type=text],[type=date])')) {
    const choice = text.parentElement?.querySelector('input[type=radio]');
    text.addEventListener('input', () => {
      if (choice && text.value !== '') choice.checked = true;
    });
    group.addEventListener('change', ({ target }) => {
      if (target.type === 'radio' && target !== choice) text.value = '';
    });
  }
}

// A box that is ticked for a choice makes it, too.
for (const box of document.querySelectorAll('.check:has(> [type=radio]) [type=checkbox]')) {
  const choice = box.closest('.check:has(> [type=radio])')?.querySelector('[type=radio]');
  box.addEventListener('change', () => {
    if (box.checked) choice.checked = true;
  });
  box.closest('fieldset')?.addEventListener('change', ({ target }) => {
    if (target.type === 'radio' && target !== choice) box.checked = false;
  });
}

// A secret is shown once. A person who leaves without it is asked first.
let copied = document.querySelector('[data-secret]') === null;
addEventListener('copy', () => {
  copied = true;
});
addEventListener('beforeunload', (event) => {
  if (!copied) event.preventDefault();
});
for (const link of document.querySelectorAll('.form-actions a')) {
  link.addEventListener('click', () => {
    copied = true;
  });
}

// The phone's menu closes with Escape, and the focus stays on it.
const menu = document.querySelector('details.menu');
menu?.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || !menu.open) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
});

// A time is in UTC. Next to it, or in a tooltip, is the time of this browser, with its zone.
const localTime = new Intl.DateTimeFormat([], {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
const isUtc = new Date().getTimezoneOffset() === 0;
for (const time of document.querySelectorAll('time[datetime]')) {
  if (isUtc || Number.isNaN(Date.parse(time.dateTime))) continue;
  const local = localTime.format(new Date(time.dateTime));
  if (time.title !== '') time.title += `, ${local}`;
  if (!time.textContent.endsWith('UTC')) continue;
  const text = document.createElement('span');
  text.className = 'local';
  text.textContent = ` (${local})`;
  time.append(text);
}
for (const day of document.querySelectorAll('input[name=expiryDate]')) {
  const hint = day.nextElementSibling;
  const utc = hint?.textContent;
  const show = () => {
    if (hint === null) return;
    const time = new Date(`${day.value}T23:59:59Z`);
    const isDay = day.value !== '' && !Number.isNaN(time.getTime());
    hint.textContent = isDay && !isUtc ? `${utc}, ${localTime.format(time)}` : utc;
  };
  day.addEventListener('input', show);
  show();
}

const status = document.createElement('span');
status.className = 'visually-hidden';
status.setAttribute('role', 'status');

for (const value of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy ${value.dataset.copy}`);
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(value.textContent);
      button.textContent = 'Copied';
      if ('secret' in value.dataset) copied = true;
    } catch {
      // A browser can refuse it. What is selected can be copied by hand.
      getSelection()?.selectAllChildren(value);
      button.textContent = 'Not copied: press Ctrl+C';
    }
    status.textContent = `${button.textContent}: ${value.dataset.copy}`;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  value.after(button);
}
document.querySelector('main')?.append(status);

// What takes several requests goes on by itself, and can be left like any page.
document.querySelector('form[data-continue]')?.requestSubmit();

// The first thing to read after a form was refused is why.
document.querySelector('.summary')?.focus();
