// Calls an API with the Go example: as many times at once as each line says.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

func main() {
	api := newAPI()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var question struct{ Count int }
		json.Unmarshal(lines.Bytes(), &question)
		var group sync.WaitGroup
		wrong := make(chan string, question.Count)
		for range question.Count {
			group.Go(func() {
				response, err := api.get(os.Getenv("EXAMPLE_URL"))
				if err != nil {
					wrong <- err.Error()
				} else if response.Body.Close(); response.StatusCode != 200 {
					wrong <- response.Status
				}
			})
		}
		group.Wait()
		close(wrong)
		why, failed := <-wrong
		text, _ := json.Marshal(map[string]any{"ok": !failed, "why": why})
		fmt.Println(string(text))
	}
}
