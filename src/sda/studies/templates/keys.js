// Keys for those who have them; the page works without this file.
"use strict";
(() => {
  const form = document.querySelector("form[data-single]");
  if (!form) return;
  const isSingle = form.dataset.single === "yes";
  const groups = [...form.querySelectorAll(".values")];
  const buttons = isSingle ? [...groups[0].querySelectorAll("button")] : [];
  let isSent = false;
  form.addEventListener("submit", (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  // A page that comes back from the browser's memory may be sent again.
  window.addEventListener("pageshow", () => { isSent = false; });

  function answer(digit) {
    if (isSingle) {
      const button = buttons.find((each) => each.value === digit);
      if (button) button.click();
      return;
    }
    const open = groups.find((group) => !group.querySelector("input:checked"));
    const group = open || groups[groups.length - 1];
    const input = group.querySelector(`input[value="${digit}"]`);
    if (input) { input.checked = true; input.focus(); }
  }

  function move(by) {
    const place = buttons.indexOf(document.activeElement);
    const next = place < 0 ? (by > 0 ? 0 : buttons.length - 1) : place + by;
    if (buttons[next]) buttons[next].focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLTextAreaElement) return;
    if (/^[0-9]$/.test(event.key)) {
      answer(event.key);
    } else if (isSingle && event.key === "ArrowRight") {
      move(1);
    } else if (isSingle && event.key === "ArrowLeft") {
      move(-1);
    } else if (event.key === "u" || event.key === "U") {
      const back = document.getElementById("back");
      if (back) back.click();
    } else if (event.key === "Enter" && !isSingle && event.target instanceof HTMLInputElement) {
      form.requestSubmit();
    } else {
      return;
    }
    event.preventDefault();
  });
})();
