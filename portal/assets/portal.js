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
    await navigator.clipboard.writeText(value.textContent);
    button.textContent = 'Copied';
    status.textContent = `Copied ${value.dataset.copy}`;
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
