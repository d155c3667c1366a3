document.body.textContent = "admin";
